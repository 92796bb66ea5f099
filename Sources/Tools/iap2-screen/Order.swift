// swift-iap2 · Apache-2.0

#if Screen
  import CarPlayPlatform
  import CarPlayScreen
  import Foundation

  /// A picture to draw.
  struct Order: Decodable {
    var screen: ScreenNode
    var look: CarLook
    var file: String
  }

  /// What became of an order.
  struct Answer: Encodable {
    var file: String?
    /// The texts that were shortened.
    var cut: [String]?
    var problem: String?
  }

  extension CarScreen {
    /// The sides in pixels and the scales that a profile of a car may have.
    private static let sides = 200...8192, scales = 1...3

    /// Throws a problem for a screen that no car has, before its pixels take memory.
    fileprivate func check() throws {
      guard Self.sides.contains(pixelWidth), Self.sides.contains(pixelHeight), Self.scales.contains(scale) else {
        throw ScreenProblem(
          "a screen has \(Self.sides.lowerBound) to \(Self.sides.upperBound) pixels a side, and a scale of 1 to 3")
      }
    }
  }

  extension Canvas {
    /// Returns the milliseconds of a layout and of a frame without the coding of a file, with warm caches.
    func measure(_ line: Data, count: Int) throws -> String {
      let order = try JSONDecoder().decode(Order.self, from: line)
      try order.look.screen.check()
      func milliseconds(_ body: () -> Void) -> Double {
        body()
        let start = ContinuousClock.now
        for _ in 0..<count { body() }
        return start.duration(to: .now) / .milliseconds(1) / Double(count)
      }
      let layout = milliseconds { _ = ScreenLayout.picture(of: order.screen, on: order.look) }
      let list = ScreenLayout.picture(of: order.screen, on: order.look)
      let frame = milliseconds { self.frame(list) }
      return String(
        format: "%@, %d x %d: layout %.3f ms, frame %.2f ms", order.screen.kind.rawValue,
        order.look.screen.pixelWidth, order.look.screen.pixelHeight, layout, frame)
    }

    /// Draws the order of a line.
    func answer(_ line: Data) -> Data {
      let answer: Answer
      do {
        let order = try JSONDecoder().decode(Order.self, from: line)
        try order.look.screen.check()
        answer = draw(ScreenLayout.picture(of: order.screen, on: order.look), to: order.file)
      } catch let problem as ScreenProblem {
        answer = Answer(problem: problem.description)
      } catch { answer = Answer(problem: "the line is no order: \(error)") }
      do { return try JSONEncoder().encode(answer) } catch { preconditionFailure("an answer has no JSON: \(error)") }
    }
  }
#endif
