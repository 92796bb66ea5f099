// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Foundation
import Glibc

/// What pictures of the screen a run writes.
public struct CarPictureChoice: Sendable, Hashable {
  /// The folder, which is made if it is missing.
  public var folder: String
  /// Whether the pictures are SVG, otherwise PNG.
  public var isSVG: Bool
  /// Whether there is one picture that always shows the screen of now, otherwise one for each screen.
  public var isLatest: Bool

  /// Creates a choice.
  public init(folder: String, isSVG: Bool = false, isLatest: Bool = false) {
    (self.folder, self.isSVG, self.isLatest) = (folder, isSVG, isLatest)
  }
}

/// The pictures of a run. A program of its own draws them, so that this one needs no library that draws.
final class CarPictures {
  private let choice: CarPictureChoice
  private let process: SpawnedProcess
  private let stop: StopRequest
  /// The socket to the program: a write to one that has ended raises no signal.
  private let socket: Int32
  private var lines = LineBuffer(limit: 1 << 20, splits: false)
  private var count = 0

  /// The time for a picture; one takes a few milliseconds, and the first loads fonts.
  private static let limit = Duration.seconds(30)
  /// The number of pictures of a run after which no more are written: a folder is read by people.
  private static let maximumCount = 9999

  /// Starts the program that draws.
  ///
  /// - Throws: A failure if the folder cannot be made, or the program is not there.
  init(_ choice: CarPictureChoice, stop: StopRequest) throws(CarFailure) {
    let program = try Self.program()
    do { try FileManager.default.createDirectory(atPath: choice.folder, withIntermediateDirectories: true) } catch {
      throw CarFailure(.noOutput, "\(choice.folder) cannot be made; name a folder for the pictures")
    }
    var opened: [Int32] = []
    do throws(SystemProblem) {
      let sockets = try Descriptors.sockets()
      opened = [sockets.ours, sockets.theirs]
      process = try SpawnedProcess(
        [program], environment: ProcessInfo.processInfo.environment,
        descriptors: [STDIN_FILENO: sockets.theirs, STDOUT_FILENO: sockets.theirs, STDERR_FILENO: STDERR_FILENO])
      Descriptors.close(sockets.theirs)
      socket = sockets.ours
    } catch {
      for descriptor in opened { close(descriptor) }
      throw CarFailure(.unavailable, "\(program) cannot be started: \(error.text)")
    }
    self.choice = choice
    self.stop = stop
  }

  deinit {
    Descriptors.close(socket)
    process.kill()
    _ = process.wait()
  }

  /// The variable of the environment with the path of the program that draws.
  private static let variable = "IAP2_SCREEN"

  /// The program that draws: the one that the environment names, or the one beside this program.
  private static func program() throws(CarFailure) -> String {
    let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let path = ProcessInfo.processInfo.environment[variable] ?? own.appending(path: "iap2-screen").path()
    guard unsafe access(path, X_OK) == 0 else {
      throw CarFailure(
        .unavailable,
        "no program draws: \(path) is not there; start the command as tools/iap2, which builds it, "
          + "or set \(variable) to the path of iap2-screen")
    }
    return path
  }

  private struct Order: Encodable {
    var screen: ScreenNode
    var look: CarLook
    var file: String
  }

  private struct Answer: Decodable {
    var problem: String?
  }

  /// Draws the screen of a state.
  func draw(_ state: CarState) throws(CarFailure) {
    guard let look = state.look else {
      throw CarFailure(
        .app, "the app's host does not tell how the car looks; build both from one version of swift-iap2")
    }
    count += 1
    guard choice.isLatest || count <= Self.maximumCount else { return }
    let end = choice.isSVG ? "svg" : "png"
    let name =
      choice.isLatest ? "screen" : String(format: "%04d-", count) + state.screen.kind.rawValue.replacing(" ", with: "-")
    // A viewer that follows the file never sees half a picture.
    let file = "\(choice.folder)/\(name).\(end)"
    let part = choice.isLatest ? "\(choice.folder)/.\(name).\(end)" : file
    try send(Order(screen: state.screen, look: look, file: part))
    let answer = try receive()
    if let problem = answer.problem { throw CarFailure(.noOutput, "the picture is not drawn: \(problem)") }
    guard choice.isLatest else { return }
    guard unsafe rename(part, file) == 0 else { throw CarFailure(.noOutput, "\(file) cannot be written") }
  }

  private func send(_ order: Order) throws(CarFailure) {
    let line: [UInt8]
    do { line = Array(try JSONEncoder().encode(order)) + [0x0A] } catch {
      preconditionFailure("an order has no JSON: \(error)")
    }
    var sent = 0
    while sent < line.count {
      let count = unsafe line.withUnsafeBytes { bytes in
        unsafe Glibc.send(
          socket, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count > 0 { sent += count } else if errno != EINTR { throw gone }
    }
  }

  private func receive() throws(CarFailure) -> Answer {
    let deadline = ContinuousClock.now.advanced(by: Self.limit)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var ready = [stop.descriptor, socket].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let left = ContinuousClock.now.duration(to: deadline)
      let number = unsafe poll(&ready, nfds_t(ready.count), Int32(clamping: max(0, left.components.seconds * 1000)))
      if number < 0, errno == EINTR { continue }
      guard number > 0 else { throw CarFailure(.unavailable, "iap2-screen did not draw within \(Self.limit)") }
      guard ready[0].revents == 0 else { throw CarFailure(.stopped, "stopped") }
      let count = unsafe read(socket, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw gone }
      guard let line = lines.add(buffer[..<count]).first else { continue }
      do { return try JSONDecoder().decode(Answer.self, from: Data(line)) } catch {
        throw CarFailure(.unavailable, "iap2-screen answered with what is no answer; build it again with tools/iap2")
      }
    }
  }

  private var gone: CarFailure {
    CarFailure(.unavailable, "the program that draws has ended, see above; build it again with tools/iap2")
  }
}
