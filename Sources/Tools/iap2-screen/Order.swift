// swift-iap2 · Apache-2.0

#if Screen
  import CarPlayPlatform
  import CarPlayScreen
  import Foundation

  /// The format of a picture.
  enum Format: String, Decodable {
    case png, svg, sixel
    /// The pixels of the boxes in which parts differ from those of the last answer in this format: red, green, blue and
    /// 255.
    case pixels
    /// The next picture of a film in H.264.
    case h264
  }

  /// A picture to draw.
  struct Order: Decodable {
    var content: ScreenContent
    /// Whether the images of earlier orders are no longer needed.
    var forgetsImages: Bool?
    /// The images that were not in an order before.
    var images: [CarImage]?
    var format: Format
    /// The width in pixels; nil for the car's own.
    var width: Int?
    /// The number of times that spinners have turned on.
    var phase: Int?
    /// The most colors of sixels; nil for as many as the format has.
    var colors: Int?
    /// Whether a picture of a film must stand alone.
    var isKeyFrame: Bool?

    /// Returns the layout in the pixels that are asked for.
    func list() throws -> DrawList {
      try content.look.screen.check()
      var list = ScreenLayout.picture(
        of: content.screen, on: content.look, map: content.map, phase: phase ?? 0, scroll: content.scroll ?? 0)
      guard let width else { return list }
      // The next number, so that the product is not a little less than the width.
      list.scale = (Double(width) / list.width).nextUp
      let height = list.height * list.scale
      guard CarScreen.pictureSides.contains(Double(width)), CarScreen.pictureSides.contains(height) else {
        throw ScreenProblem("a picture has 1 to \(Int(CarScreen.pictureSides.upperBound)) pixels a side")
      }
      return list
    }
  }

  /// The line before the bytes of a picture.
  struct Answer: Encodable {
    /// The number of bytes that follow the line.
    var byteCount: Int?
    /// The size of the picture in pixels.
    var width: Int?
    var height: Int?
    /// The rectangles whose pixels follow.
    var boxes: [ScreenPixels.Box]?
    /// The texts that were shortened.
    var cut: [String]?
    /// The values of a picture of a film.
    var film: ScreenFilm?
    var problem: String?
  }

  /// A picture in its format.
  struct Picture {
    var bytes: [UInt8]
    /// The size in pixels.
    var width, height: Int
    var boxes: [ScreenPixels.Box]?
    /// The texts that were shortened.
    var cut: [String]
    /// The values of a picture of a film.
    var film: ScreenFilm?

    /// The line before the bytes.
    var answer: Answer {
      Answer(
        byteCount: bytes.count, width: width, height: height, boxes: boxes, cut: cut.isEmpty ? nil : cut, film: film)
    }
  }

  extension CarScreen {
    /// The pixels of a safe area's edge, and the points of a dock; none is larger than a screen.
    private static let edges = 0...8192
    /// The sides in pixels of a picture that is fitted to a terminal.
    fileprivate static let pictureSides = 1.0...8192

    /// Throws a problem for a screen that no car has, before its pixels take memory.
    fileprivate func check() throws {
      guard Self.sides.contains(pixelWidth), Self.sides.contains(pixelHeight), Self.scales.contains(scale) else {
        throw ScreenProblem(
          "a screen has \(Self.sides.lowerBound) to \(Self.sides.upperBound) pixels a side, and a scale of "
            + "\(Self.scales.lowerBound) to \(Self.scales.upperBound)")
      }
      let edges = [safeArea.top, safeArea.left, safeArea.bottom, safeArea.right, dockThickness]
      guard edges.allSatisfy(Self.edges.contains) else {
        throw ScreenProblem("a safe area and a dock take 0 to \(Self.edges.upperBound)")
      }
    }
  }

  extension Canvas {
    /// The distance in points of a map that is moved.
    private static let step = 10.0

    /// Returns the milliseconds of a layout, of a frame without the coding of a file, of a frame that does not differ
    /// from the one before, and of one with a map that the driver moves by a finger's step, with warm caches.
    func measure(_ line: Data, count: Int) throws -> String {
      let order = try JSONDecoder().decode(Order.self, from: line)
      for image in order.images ?? [] { add(image) }
      /// The time on a processor, so that other programs of the machine do not count.
      func spent() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
      }
      func milliseconds(_ body: () -> Void) -> Double {
        body()
        let start = spent()
        for _ in 0..<count { body() }
        return (spent() - start) / Double(count)
      }
      let content = order.content
      let layout = milliseconds { _ = ScreenLayout.picture(of: content.screen, on: content.look, map: content.map) }
      let list = try order.list()
      let frame = milliseconds {
        forget()
        self.frame(list)
      }
      let same = milliseconds { self.frame(list) }
      var words = String(
        format: "%@, %d x %d: layout %.3f ms, frame %.2f ms, unchanged %.3f ms", content.screen.kind.rawValue,
        content.look.screen.pixelWidth, content.look.screen.pixelHeight, layout, frame, same)
      if content.screen.kind == .map {
        var way = 0.0
        let moved = milliseconds {
          way += Self.step
          let map = CarMap(moved: CGPoint(x: way, y: way))
          self.frame(ScreenLayout.picture(of: content.screen, on: content.look, map: map))
        }
        words += String(format: ", moved %.2f ms", moved)
      }
      return words
    }

    /// Draws the order of a line. Returns the line of the answer and the bytes behind it.
    func answer(_ line: Data) -> Data {
      let answer: Answer
      var bytes: [UInt8] = []
      do {
        let order = try JSONDecoder().decode(Order.self, from: line)
        // The sender counts on its images also if this picture cannot be drawn.
        if order.forgetsImages == true { forgetImages() }
        for image in order.images ?? [] { add(image) }
        let list = try order.list()
        let picture =
          switch order.format {
          case .png: try png(list)
          case .svg: try svg(list)
          case .sixel: try sixel(list, colors: order.colors)
          case .pixels: try pixels(list)
          case .h264: try film(list, isKeyFrame: order.isKeyFrame ?? false)
          }
        (answer, bytes) = (picture.answer, picture.bytes)
      } catch let problem as ScreenProblem {
        answer = Answer(problem: problem.description)
      } catch { answer = Answer(problem: "the line is not an order: \(error)") }
      do { return try JSONEncoder().encode(answer) + [0x0A] + bytes } catch {
        preconditionFailure("an answer has no JSON: \(error)")
      }
    }
  }
#endif
