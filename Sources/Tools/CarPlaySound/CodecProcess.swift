// swift-iap2 · Apache-2.0

import Basics
import CarPlayDrawing
import Dispatch
import Foundation
import Glibc
import Synchronization

/// A child process that reads its standard input and writes its standard output on one socket. A write to a socket
/// raises no signal after the child's end.
final class CodecProcess: Sendable {
  private struct State {
    /// The number of bytes that wait to be written.
    var waiting = 0
    var isFinishing = false
    var isCancelled = false
    var isReaped = false
    /// The reason why the child takes nothing more.
    var problem: SoundProblem?
  }

  private let name: String
  private let process: SpawnedProcess
  private let socket: Int32
  private let errors: Int32
  private let state = Mutex(State())
  private let writing: DispatchQueue
  private let endLimit: Double

  /// The number of bytes that may wait for the child: five seconds of stereo at 48 kHz. A child that is alive takes them
  /// many times faster than they are played.
  static let maximumWaiting = 1 << 20
  /// The time limit in seconds for the child to end after its input did. Ours: it needs a few milliseconds.
  private static let endSeconds = 10.0
  /// The size of a part of the output in bytes.
  private static let partByteCount = 1 << 16
  /// The longest text of the child's errors in a problem, in characters.
  private static let maximumReason = 200

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: The program, which is found in PATH, and its arguments.
  ///   - reader: The reader of the output.
  ///   - endLimit: The time limit in seconds for the child to end after its input did.
  ///   - onPiece: A closure that is called with each piece of the output, on a thread of the process.
  ///   - onEnd: A closure that is called once, behind the last piece: with the problem, or with nil after a clean end.
  /// - Throws: A problem if the program cannot be started.
  init(
    _ arguments: [String], reader: some PieceReader, endLimit: Double = endSeconds,
    onPiece: @escaping @Sendable ([UInt8]) -> Void, onEnd: @escaping @Sendable (SoundProblem?) -> Void
  ) throws(SoundProblem) {
    name = arguments[0].split(separator: "/").last.map(String.init) ?? arguments[0]
    writing = DispatchQueue(label: "input of \(name)")
    var opened: [Int32] = []
    do throws(SystemProblem) {
      let sockets = try Descriptors.sockets()
      opened = [sockets.ours, sockets.theirs]
      let errors = try Descriptors.pipe()
      opened += [errors.reading, errors.writing]
      // A child that has much to say loses the rest. It does not wait for a reader.
      for end in [errors.reading, errors.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
      process = try SpawnedProcess(
        arguments, environment: ProcessInfo.processInfo.environment,
        descriptors: [STDIN_FILENO: sockets.theirs, STDOUT_FILENO: sockets.theirs, STDERR_FILENO: errors.writing])
      Descriptors.close(sockets.theirs, errors.writing)
      (socket, self.errors) = (sockets.ours, errors.reading)
    } catch {
      for descriptor in opened { Descriptors.close(descriptor) }
      let reason = error.number == ENOENT ? "it is not installed" : error.text
      throw .unavailable("\(arguments[0]) cannot be started: \(reason)")
    }
    self.endLimit = endLimit
    DispatchQueue(label: "output of \(name)").async { [self] in
      var reader = reader
      let problem = read(&reader, onPiece)
      onEnd(end(problem))
    }
  }

  /// Queues bytes for the child.
  ///
  /// - Throws: ``SoundProblem/full``, or the reason why the child takes nothing more. Then none of the bytes is taken.
  func write(_ bytes: [UInt8]) throws(SoundProblem) {
    try state.withLock { state throws(SoundProblem) in
      if let problem = state.problem { throw problem }
      guard state.waiting + bytes.count <= Self.maximumWaiting else { throw .full }
      state.waiting += bytes.count
    }
    writing.async { [self] in
      send(bytes)
      state.withLock { $0.waiting -= bytes.count }
    }
  }

  /// Ends the input behind the bytes that wait. The child writes the rest of its output and ends.
  func finish() {
    let isFirst = state.withLock { state in
      defer {
        state.isFinishing = true
        state.problem = state.problem ?? .ended("\(name) takes nothing more behind the end of its input")
      }
      return !state.isFinishing
    }
    guard isFirst else { return }
    writing.async { [self] in
      if isOpen { _ = shutdown(socket, Int32(SHUT_WR)) }
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + endLimit) { [weak self] in self?.kill() }
  }

  /// Ends the child at once. No further piece is reported.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      state.problem = .cancelled
    }
    kill()
  }

  /// Whether the socket is open. Only the queue of the input closes it.
  private var isOpen: Bool { state.withLock { !$0.isReaped } }

  private func kill() { state.withLock { if !$0.isReaped { process.kill() } } }

  /// Sends bytes. A child that has ended takes none; the reader of its output reports that.
  private func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty, isOpen {
      let count = unsafe rest.withUnsafeBytes { part in
        unsafe Glibc.send(socket, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
    }
  }

  /// Reads the output to its end.
  ///
  /// - Returns: A problem of the output.
  private func read(
    _ reader: inout some PieceReader, _ onPiece: @Sendable ([UInt8]) -> Void
  ) -> SoundProblem? {
    var part = [UInt8](repeating: 0, count: Self.partByteCount)
    while true {
      let count = unsafe Glibc.read(socket, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      do throws(SoundProblem) {
        for piece in try reader.pieces(in: part[..<count]) {
          guard state.withLock({ !$0.isCancelled }) else { return nil }
          onPiece(piece)
        }
      } catch { return error }
    }
  }

  /// Waits for the child, whose output ended or is malformed, and closes the socket.
  ///
  /// - Returns: The problem; nil after a clean end.
  private func end(_ problem: SoundProblem?) -> SoundProblem? {
    // The socket is the child's output until its last moment. A child that closed it early does not keep this thread.
    kill()
    let result = state.withLock { state in
      let end = process.wait()
      state.isReaped = true
      let result = state.isCancelled ? .cancelled : problem ?? reason(of: end, isFinishing: state.isFinishing)
      state.problem = state.problem ?? result
      return result
    }
    Descriptors.close(errors)
    writing.async { [socket] in Descriptors.close(socket) }
    return result
  }

  private func reason(of end: SpawnedProcess.End, isFinishing: Bool) -> SoundProblem? {
    let words = lastError.map { ": \($0)" } ?? ""
    return switch end {
    case .exit(0) where isFinishing: nil
    case .exit(let code): .ended("\(name) ended with \(code) before its input did\(words)")
    case .signal(let number): .ended("\(name) was ended by signal \(number)\(words)")
    }
  }

  /// The last line of the child's errors.
  private var lastError: String? {
    var text = [UInt8](repeating: 0, count: Self.partByteCount)
    let count = unsafe Glibc.read(errors, &text, text.count)
    guard count > 0 else { return nil }
    let line = text[..<count].split { $0 == 0x0A || $0 == 0x0D }.last
    return line.map { String(String(decoding: $0, as: UTF8.self).prefix(Self.maximumReason)).printable }
  }
}
