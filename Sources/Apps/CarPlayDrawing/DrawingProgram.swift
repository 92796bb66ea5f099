// swift-iap2 · Apache-2.0

package import CarPlayPlatform
import Foundation
import Glibc

/// A reason why a picture is not drawn.
package enum DrawingProblem: Error, Hashable {
  /// The program is missing, has ended, or sent a malformed answer.
  case program(String)
  /// The picture cannot be drawn or its file cannot be written.
  case picture(String)
  /// The caller stopped the drawing.
  case stopped
}

/// The program `iap2-screen`, which draws pictures. The program that starts it needs no drawing library.
package final class DrawingProgram {
  private let process: SpawnedProcess
  /// The socket to the program. A write to it raises no signal after the program has ended.
  private let socket: Int32
  private var lines = LineBuffer(limit: 1 << 20, splits: false)
  /// The identifiers of the images that the program already has.
  private var known: Set<String> = []

  /// The time limit for a picture. A picture takes a few milliseconds, and the first one also loads fonts.
  private static let limit = Duration.seconds(30)
  /// The environment variable with the path of the program.
  package static let variable = "IAP2_SCREEN"

  private static var path: String {
    let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    return ProcessInfo.processInfo.environment[variable] ?? own.appending(path: "iap2-screen").path()
  }

  /// Whether the program exists and is executable.
  package static var isThere: Bool { unsafe access(path, X_OK) == 0 }

  /// Starts the program: the one that the environment names, or else the one beside this program.
  package init() throws(DrawingProblem) {
    let environment = ProcessInfo.processInfo.environment
    let path = Self.path
    guard Self.isThere else {
      throw .program(
        "the drawing program \(path) is missing; tools/screen-program of swift-iap2 builds it and prints its path for "
          + "the variable \(Self.variable), and tools/iap2 does both")
    }
    var opened: [Int32] = []
    do throws(SystemProblem) {
      let sockets = try Descriptors.sockets()
      opened = [sockets.ours, sockets.theirs]
      process = try SpawnedProcess(
        [path], environment: environment,
        descriptors: [STDIN_FILENO: sockets.theirs, STDOUT_FILENO: sockets.theirs, STDERR_FILENO: STDERR_FILENO])
      Descriptors.close(sockets.theirs)
      socket = sockets.ours
    } catch {
      for descriptor in opened { close(descriptor) }
      throw .program("\(path) cannot be started: \(error.text)")
    }
  }

  deinit {
    Descriptors.close(socket)
    process.kill()
    _ = process.wait()
  }

  private struct Order: Encodable {
    var content: ScreenContent
    /// The images that the program does not have yet.
    var images: [CarImage]
    var file: String
    var width: Int?
    var phase: Int?
    var colors: Int?
  }

  private struct Answer: Decodable {
    var cut: [String]?
    var problem: String?
  }

  /// Draws a screen into a file whose name ends with `.png`, `.svg` or `.six`.
  ///
  /// - Parameters:
  ///   - content: The content of the screen.
  ///   - images: The images that the screen may show, by their identifiers.
  ///   - file: The path of the picture.
  ///   - width: The width of the picture in pixels; nil for the car's own.
  ///   - phase: The animation phase of the spinners.
  ///   - colors: The maximum number of colors of sixels; nil for the maximum of the format.
  ///   - stop: A descriptor that becomes readable when the caller stops the drawing.
  /// - Returns: The texts that were shortened.
  @discardableResult
  package func draw(
    _ content: ScreenContent, images: [String: CarImage] = [:], to file: String, width: Int? = nil, phase: Int? = nil,
    colors: Int? = nil, stop: Int32 = -1
  ) throws(DrawingProblem) -> [String] {
    let fresh = content.images.subtracting(known).sorted().compactMap { images[$0] }
    try send(Order(content: content, images: fresh, file: file, width: width, phase: phase, colors: colors))
    known.formUnion(fresh.map(\.id))
    let answer = try receive(stop)
    if let problem = answer.problem { throw .picture(problem) }
    return answer.cut ?? []
  }

  private func send(_ order: Order) throws(DrawingProblem) {
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
      if count > 0 { sent += count } else if errno != EINTR { throw Self.gone }
    }
  }

  private func receive(_ stop: Int32) throws(DrawingProblem) -> Answer {
    let deadline = ContinuousClock.now.advanced(by: Self.limit)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var ready = [stop, socket].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let left = ContinuousClock.now.duration(to: deadline)
      let number = unsafe poll(&ready, nfds_t(ready.count), Int32(clamping: max(0, left.components.seconds * 1000)))
      if number < 0, errno == EINTR { continue }
      guard number > 0 else { throw .program("iap2-screen did not draw within \(Self.limit)") }
      guard ready[0].revents == 0 else { throw .stopped }
      let count = unsafe read(socket, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.gone }
      guard let line = lines.add(buffer[..<count]).first else { continue }
      do { return try JSONDecoder().decode(Answer.self, from: Data(line)) } catch {
        let text = String(decoding: line.prefix(80), as: UTF8.self)
        throw .program("iap2-screen sent a malformed answer: \(text); build it again with tools/screen-program")
      }
    }
  }

  private static let gone = DrawingProblem.program(
    "the program that draws has ended, see above; build it again with tools/screen-program")
}
