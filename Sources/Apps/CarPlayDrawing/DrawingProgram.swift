// swift-iap2 · Apache-2.0

package import CarPlayPlatform
import Foundation
import Glibc

/// A reason why a picture is not drawn.
package enum DrawingProblem: Error, Hashable {
  /// The program is missing, has ended, or sent a malformed answer.
  case program(String)
  /// The picture cannot be drawn.
  case picture(String)
  /// The caller stopped the drawing.
  case stopped
}

/// The program `iap2-screen`, which draws pictures. The program that starts it needs no drawing library.
package final class DrawingProgram {
  private let process: SpawnedProcess
  /// The socket to the program. A write to it raises no signal after the program has ended.
  private let socket: Int32
  /// The bytes from the program that were not taken yet.
  private var received: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 1 << 18)
  private var sent = SentImages()

  /// The time limit for a picture. A picture takes a few milliseconds, and the first one also loads fonts.
  private static let limit = Duration.seconds(30)
  /// The longest line before a picture in bytes. It has the shortened texts.
  private static let maximumLine = 1 << 20
  /// The largest picture in bytes: the pixels of the largest screen.
  private static let maximumByteCount = CarScreen.sides.upperBound * CarScreen.sides.upperBound * 4
  /// The environment variable with the path of the program.
  package static let variable = "IAP2_SCREEN"

  private static var path: String {
    if let named = ProcessInfo.processInfo.environment[variable] { return named }
    let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let beside = own.appending(path: "iap2-screen").path(percentEncoded: false)
    // The place in the Debian package, because users do not start the program.
    let installed = own.appending(path: "../libexec/iap2/iap2-screen").standardized.path(percentEncoded: false)
    return unsafe access(beside, X_OK) != 0 && access(installed, X_OK) == 0 ? installed : beside
  }

  /// Whether the program exists and is executable.
  package static var isThere: Bool { unsafe access(path, X_OK) == 0 }

  /// Throws a problem if the program is missing.
  package static func check() throws(DrawingProblem) {
    guard !isThere else { return }
    throw .program(
      "the drawing program \(path) is missing; tools/screen-program of swift-iap2 builds it and prints its path for "
        + "the variable \(variable), and tools/iap2 does both")
  }

  /// Starts the program: the one that the environment names, or else the one beside this program or installed with it.
  package init() throws(DrawingProblem) {
    let environment = ProcessInfo.processInfo.environment
    let path = Self.path
    try Self.check()
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

  /// The format of a picture.
  package enum Format: String, Encodable {
    case png, svg
    /// The sequences for a terminal with sixels.
    case sixel
    /// The pixels of the boxes in which parts differ from those of the last answer in this format.
    case pixels
    /// The next picture of a film in H.264, as a byte stream (Annex B).
    case h264
  }

  /// A picture in memory.
  package struct Picture {
    /// The picture in its format.
    package var bytes: [UInt8]
    /// The texts that were shortened.
    package var cut: [String]
    /// The values of a picture of a film; nil in other formats.
    package var film: ScreenFilm?
  }

  private struct Order: Encodable {
    var content: ScreenContent
    /// Whether the program forgets the images that it has.
    var forgetsImages: Bool?
    /// The images that the program does not have yet.
    var images: [CarImage]
    var format: Format
    var width: Int?
    var phase: Int?
    var colors: Int?
    var isKeyFrame: Bool?
  }

  /// The line before the bytes of a picture.
  private struct Answer: Decodable {
    var byteCount: Int?
    var width: Int?
    var height: Int?
    var boxes: [ScreenPixels.Box]?
    var cut: [String]?
    var film: ScreenFilm?
    var problem: String?
  }

  /// Draws a screen.
  ///
  /// - Parameters:
  ///   - content: The content of the screen.
  ///   - images: The images that the screen may show, by their identifiers.
  ///   - format: The format of the picture.
  ///   - width: The width of the picture in pixels; nil for the car's own.
  ///   - phase: The animation phase of the spinners.
  ///   - colors: The maximum number of colors of sixels; nil for the maximum of the format.
  ///   - isKeyFrame: Whether a picture of a film must stand alone.
  ///   - stop: A descriptor that becomes readable when the caller stops the drawing.
  package func draw(
    _ content: ScreenContent, images: [String: CarImage] = [:], as format: Format, width: Int? = nil,
    phase: Int? = nil, colors: Int? = nil, isKeyFrame: Bool = false, stop: Int32 = -1
  ) throws(DrawingProblem) -> Picture {
    var order = Order(
      content: content, images: [], format: format, width: width, phase: phase, colors: colors,
      isKeyFrame: isKeyFrame ? true : nil)
    add(images, to: &order)
    let (answer, bytes) = try answer(to: order, stop)
    return Picture(bytes: bytes, cut: answer.cut ?? [], film: answer.film)
  }

  /// The pixels of the last frame.
  package private(set) var pixels = ScreenPixels()

  /// Draws a screen into ``pixels``, in the car's own size.
  ///
  /// - Returns: The rectangles that changed, which may overlap.
  @discardableResult
  package func drawPixels(
    _ content: ScreenContent, images: [String: CarImage] = [:], phase: Int? = nil, stop: Int32 = -1
  ) throws(DrawingProblem) -> [ScreenPixels.Box] {
    var order = Order(content: content, images: [], format: .pixels, phase: phase)
    add(images, to: &order)
    let (answer, bytes) = try answer(to: order, stop)
    let boxes = answer.boxes ?? []
    guard let width = answer.width, let height = answer.height, pixels.take(width: width, height: height, boxes, bytes)
    else { throw .program("iap2-screen sent pixels outside of the screen; build it again with tools/screen-program") }
    return boxes
  }

  private func add(_ images: [String: CarImage], to order: inout Order) {
    let delivery = sent.deliver(order.content.images) { images[$0] != nil }
    order.forgetsImages = delivery.forgetsOthers ? true : nil
    order.images = delivery.names.compactMap { images[$0] }
  }

  private func answer(to order: Order, _ stop: Int32) throws(DrawingProblem) -> (Answer, [UInt8]) {
    try send(order)
    let deadline = ContinuousClock.now.advanced(by: Self.limit)
    let answer = try receiveLine(stop, deadline)
    if let problem = answer.problem { throw .picture(problem) }
    guard let count = answer.byteCount, (0...Self.maximumByteCount).contains(count) else {
      throw .program("iap2-screen sent no size of a picture; build it again with tools/screen-program")
    }
    while received.count < count { try receive(stop, deadline) }
    defer { received.removeFirst(count) }
    return (answer, received.count == count ? received : Array(received.prefix(count)))
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

  private func receiveLine(_ stop: Int32, _ deadline: ContinuousClock.Instant) throws(DrawingProblem) -> Answer {
    while true {
      if let end = received.firstIndex(of: 0x0A) {
        let line = received[..<end]
        defer { received.removeFirst(end + 1) }
        do { return try JSONDecoder().decode(Answer.self, from: Data(line)) } catch {
          let text = String(decoding: line.prefix(80), as: UTF8.self)
          throw .program("iap2-screen sent a malformed answer: \(text); build it again with tools/screen-program")
        }
      }
      guard received.count <= Self.maximumLine else {
        throw .program("iap2-screen sent a line without an end; build it again with tools/screen-program")
      }
      try receive(stop, deadline)
    }
  }

  /// Receives more bytes from the program.
  private func receive(_ stop: Int32, _ deadline: ContinuousClock.Instant) throws(DrawingProblem) {
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
      received += buffer[..<count]
      return
    }
  }

  private static let gone = DrawingProblem.program(
    "the program that draws has ended")
}
