// swift-iap2 · Apache-2.0

import CarPlayDrawing
public import CarPlayPlatform
import Foundation
import Glibc

/// A running app with the host inside, as a child process.
///
/// One thread uses the child. The app ends together with it: a call after the app's end throws the reason.
public final class CarChild {
  /// The time limits of an app.
  public struct Limits: Sendable {
    /// The time from the start to the first line. A large program takes seconds to load.
    public var start = Duration.seconds(30)
    /// The time for an answer. The host itself ends life cycle calls after 10 s.
    public var answer = Duration.seconds(30)
    /// The time for the exit after the connection is closed. The app may have to write a crash report.
    public var end = Duration.seconds(5)

    /// Creates the default limits.
    public init() {}
  }

  /// An event of a child or of the user.
  public enum Event: Sendable {
    /// A line.
    case report(CarReport)
    /// A line on the app's own output.
    case output(String)
    /// The user's input is readable.
    case input
    /// The phone's transport has an event.
    case transport
    /// The deadline has passed.
    case timeout
  }

  private let process: SpawnedProcess
  private let limits: Limits
  private let stop: StopRequest
  /// The descriptors of the socket and of the app's output; -1 after closing.
  private var control: Int32
  private var output: Int32
  private var lines = LineBuffer(limit: CarControl.maximumLineByteCount, splits: false)
  private var text = LineBuffer(limit: CarChild.maximumOutputLine, splits: true)
  private var waiting: [Event] = []
  /// The last line of the app's output that describes a trap.
  private var lastFault: String?
  /// Whether the app has ended.
  private(set) var isEnded = false
  /// The descriptor that is readable while the phone's transport has events; -1 without a transport.
  var transport: Int32 = -1
  /// The name of the last call into the app, for the report of a trap.
  public var lastCall = ""

  /// The length above which a line of the app's own output is split.
  private static let maximumOutputLine = 8192
  /// The descriptor of the connection in the child.
  private static let childDescriptor: Int32 = 3

  /// Starts an app.
  ///
  /// - Parameters:
  ///   - executable: The path.
  ///   - arguments: The arguments of the app.
  ///   - stop: The request that ends every wait.
  /// - Throws: A failure if the program cannot be started.
  public init(
    _ executable: String, arguments: [String] = [], limits: Limits = Limits(), stop: StopRequest
  ) throws(CarFailure) {
    var opened: [Int32] = []
    do throws(SystemProblem) {
      let sockets = try Descriptors.sockets()
      opened += [sockets.ours, sockets.theirs]
      let pipe = try Descriptors.pipe()
      opened += [pipe.reading, pipe.writing]
      let nothing = try Descriptors.nothing()
      opened.append(nothing)
      process = try SpawnedProcess(
        [executable] + arguments, environment: Self.environment,
        descriptors: [
          STDIN_FILENO: nothing, STDOUT_FILENO: pipe.writing, STDERR_FILENO: pipe.writing,
          Self.childDescriptor: sockets.theirs,
        ])
      Descriptors.close(sockets.theirs, pipe.writing, nothing)
      (control, output) = (sockets.ours, pipe.reading)
    } catch {
      for descriptor in opened { close(descriptor) }
      throw CarFailure(.unavailable, "\(executable) cannot be started: \(error.text)")
    }
    // A child process of the app may keep the output open, so a read must not block on it.
    _ = fcntl(output, F_SETFL, O_NONBLOCK)
    self.limits = limits
    self.stop = stop
  }

  private static var environment: [String: String] {
    var environment = ProcessInfo.processInfo.environment
    environment[CarControl.variable] = "\(childDescriptor)"
    // A trap prints one line with its place, not a report that takes seconds. A value that the user set is kept.
    if environment["SWIFT_BACKTRACE"] == nil { environment["SWIFT_BACKTRACE"] = "enable=no" }
    return environment
  }

  deinit { kill() }

  /// The identifier of the process.
  public var processID: Int32 { process.id }

  /// Ends the app and all its child processes immediately.
  public func kill() {
    guard !isEnded else { return }
    isEnded = true
    process.kill()
    _ = process.wait()
    closeAll()
  }

  private func closeAll() {
    for descriptor in [control, output] where descriptor >= 0 { close(descriptor) }
    (control, output) = (-1, -1)
  }

  /// Closes the connection, waits for the app's exit, and kills the app if it takes too long.
  public func finish() {
    guard !isEnded else { return }
    close(control)
    control = -1
    _ = reap()
  }

  // MARK: Lines

  /// Sends a step.
  public func send(_ request: CarRequest) throws(CarFailure) {
    let line: [UInt8]
    do { line = Array(try JSONEncoder().encode(request)) + [0x0A] } catch {
      preconditionFailure("a request has no JSON: \(error)")
    }
    let deadline = ContinuousClock.now.advanced(by: limits.answer)
    var sent = 0
    while sent < line.count {
      let count = unsafe line.withUnsafeBytes { bytes in
        unsafe Glibc.send(
          control, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        var ready = pollfd(fd: control, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&ready, 1, Self.milliseconds(to: deadline)) > 0 else {
          throw ending("the app does not read its lines")
        }
      } else if errno != EINTR {
        throw gone()
      }
    }
  }

  /// Returns the next event.
  ///
  /// - Parameters:
  ///   - deadline: The end of the wait.
  ///   - input: A descriptor of the user's input.
  ///   - isEnding: Whether the run is already ending, so that a stop request of the user has no effect.
  /// - Throws: The reason if the app ended or sent a malformed line, or if the user stops the run. A stop ends the app,
  ///   unless its phone is on a transport: then the caller ends the connection first.
  public func next(
    until deadline: ContinuousClock.Instant, input: Int32 = -1, isEnding: Bool = false
  ) throws(CarFailure) -> Event {
    while true {
      if !waiting.isEmpty { return waiting.removeFirst() }
      guard !isEnded else { throw CarFailure(.app, "the app has ended") }
      var ready = [isEnding ? -1 : stop.descriptor, control, output, input, transport].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      let count = unsafe poll(&ready, nfds_t(ready.count), Self.milliseconds(to: deadline))
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return .timeout }
      if ready[0].revents != 0 {
        if transport < 0 { kill() }
        throw CarFailure(.stopped, "stopped")
      }
      if ready[2].revents != 0 { readOutput() }
      if ready[1].revents != 0 {
        try readLines()
      } else if ContinuousClock.now >= deadline {
        // Endless output of an app must not extend the deadline.
        return .timeout
      }
      if ready[4].revents != 0, waiting.isEmpty { return .transport }
      if ready[3].revents != 0, waiting.isEmpty { return .input }
    }
  }

  private static func milliseconds(to deadline: ContinuousClock.Instant) -> Int32 {
    let left = ContinuousClock.now.duration(to: deadline).components
    // Rounding up prevents a wait that ends too early.
    return Int32(clamping: max(0, left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1))
  }

  private static func piece(_ descriptor: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      return count > 0 ? Array(buffer[..<count]) : nil
    }
  }

  private func readOutput() {
    let piece = Self.piece(output)
    if piece == nil {
      close(output)
      output = -1
    }
    for line in piece.map({ text.add($0) }) ?? [text.takeRest()] where piece != nil || !line.isEmpty {
      let line = String(decoding: line, as: UTF8.self)
      if line.contains("Fatal error") || line.contains("Precondition failed") { lastFault = line }
      waiting.append(.output(line))
    }
  }

  private func readLines() throws(CarFailure) {
    guard let piece = Self.piece(control) else { throw gone() }
    for line in lines.add(piece) {
      do { waiting.append(.report(try JSONDecoder().decode(CarReport.self, from: Data(line)))) } catch {
        let text = String(decoding: line.prefix(80), as: UTF8.self)
        throw ending("the app sent a malformed control line: \(text); rebuild the app with this version")
      }
    }
    if lines.isOverfull { throw ending("the app sent a line of more than \(lines.limit) bytes") }
  }

  // MARK: The end

  /// Kills an app that misbehaves, and returns the failure.
  public func ending(_ reason: String) -> CarFailure {
    kill()
    return CarFailure(.app, reason)
  }

  /// Returns the reason for the exit of an app that closed the connection.
  private func gone() -> CarFailure {
    guard let end = reap() else { return CarFailure(.app, "the app closed the connection and went on; it was ended") }
    let fault = lastFault.map { ": \($0)" } ?? ""
    let place = lastCall.isEmpty ? "" : " in \(lastCall)"
    switch end {
    case .exit(let code): return CarFailure(.app, "the app ended by itself with code \(code)\(place)\(fault)")
    case .signal(SIGKILL): return CarFailure(.app, "the app was killed (SIGKILL)\(place)\(fault)")
    case .signal(let number):
      let isTrap = number == SIGILL || number == SIGTRAP
      return CarFailure(.app, "the app \(isTrap ? "trapped" : "crashed") (\(Self.name(of: number)))\(place)\(fault)")
    }
  }

  private static func name(of signal: Int32) -> String {
    let names: [Int32: String] = [
      SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE",
      SIGSEGV: "SIGSEGV", SIGTERM: "SIGTERM", SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGPIPE: "SIGPIPE",
    ]
    return names[signal] ?? "signal \(signal)"
  }

  /// Waits for the exit of the process and reads its last output. Returns nil if the process had to be killed.
  private func reap() -> SpawnedProcess.End? {
    let deadline = ContinuousClock.now.advanced(by: limits.end)
    var end = process.poll()
    while end == nil, ContinuousClock.now < deadline {
      // The output ends with the process, unless a child process of it is still running.
      var ready = [stop.descriptor, output].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let isAfterOutput = output < 0
      _ = unsafe poll(&ready, nfds_t(ready.count), isAfterOutput ? 5 : 50)
      if ready[0].revents != 0 { break }
      if ready[1].revents != 0, !isAfterOutput { readOutput() }
      end = process.poll()
    }
    process.kill()
    if end == nil { _ = process.wait() }
    isEnded = true
    while output >= 0 { readOutput() }
    closeAll()
    return end
  }
}
