// swift-iap2 · Apache-2.0

/// The pixels of a screen in memory.
public struct ScreenPixels: Sendable, Hashable {
  /// The color of a pixel.
  public struct Color: Sendable, Hashable {
    /// The parts of the color, 0 to 255.
    public var red, green, blue: UInt8

    /// Creates a color.
    public init(red: UInt8, green: UInt8, blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }
  }

  /// A rectangle of pixels. The first pixel of a screen is at its top left corner.
  package struct Box: Sendable, Hashable, Codable {
    /// The column and the row of the first pixel.
    package var x, y: Int
    /// The number of columns and of rows.
    package var width, height: Int

    /// Creates a rectangle.
    package init(x: Int, y: Int, width: Int, height: Int) {
      (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
  }

  /// The number of columns.
  public private(set) var width = 0
  /// The number of rows.
  public private(set) var height = 0
  /// The rows from the top without gaps. A pixel has four bytes: red, green, blue, and 255.
  public private(set) var bytes: [UInt8] = []

  /// Creates a screen without pixels.
  package init() {}

  /// The color of a pixel.
  ///
  /// - Precondition: The pixel is on the screen.
  public subscript(x: Int, y: Int) -> Color {
    precondition((0..<width).contains(x) && (0..<height).contains(y), "no pixel at \(x), \(y)")
    let start = (y * width + x) * Self.pixelByteCount
    return Color(red: bytes[start], green: bytes[start + 1], blue: bytes[start + 2])
  }

  /// The bytes of a pixel.
  package static var pixelByteCount: Int { 4 }

  /// Takes a change. If the size differs, the only box must be the whole screen.
  ///
  /// - Parameters:
  ///   - boxes: The rectangles that changed.
  ///   - pixels: The pixels of the rectangles, one after another.
  /// - Returns: Whether the change fits. Otherwise nothing changes.
  package mutating func take(width: Int, height: Int, _ boxes: [Box], _ pixels: [UInt8]) -> Bool {
    let sides = 0...CarScreen.sides.upperBound
    guard sides.contains(width), sides.contains(height) else { return false }
    let isWhole = boxes == [Box(x: 0, y: 0, width: width, height: height)]
    let isSame = width == self.width && height == self.height
    let fits = boxes.allSatisfy { box in
      (0...width).contains(box.x) && (0...height).contains(box.y) && (0...width - box.x).contains(box.width)
        && (0...height - box.y).contains(box.height)
    }
    guard fits, isWhole || isSame,
      pixels.count == boxes.reduce(0, { $0 + $1.width * $1.height * Self.pixelByteCount })
    else { return false }
    if isWhole {
      (self.width, self.height, bytes) = (width, height, pixels)
      return true
    }
    var start = 0
    for box in boxes {
      let count = box.width * Self.pixelByteCount
      for row in box.y..<box.y + box.height {
        let place = (row * width + box.x) * Self.pixelByteCount
        bytes.replaceSubrange(place..<place + count, with: pixels[start..<start + count])
        start += count
      }
    }
    return true
  }
}
