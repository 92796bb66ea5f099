// swift-iap2 · Apache-2.0

public import Foundation

// Pictures that the app draws. Drawing is accepted and ignored: the picture is blank and has the right size and scale.

/// The scale and opacity of the pictures of a renderer.
open class UIGraphicsImageRendererFormat: NSObject {
  /// The pixels of a point.
  open var scale: CGFloat = 3
  /// Whether the picture has no transparent part.
  open var opaque = false

  /// Creates a format with the scale of the current traits.
  public override init() {
    let current = UITraitCollection.current.displayScale
    if current > 0 { scale = current }
    super.init()
  }

  /// Returns a format with the scale of the current traits.
  open class func `default`() -> UIGraphicsImageRendererFormat { UIGraphicsImageRendererFormat() }

  /// Returns a format with the scale of the current traits.
  open class func preferred() -> UIGraphicsImageRendererFormat { UIGraphicsImageRendererFormat() }
}

/// A renderer of pictures that the app draws.
open class UIGraphicsImageRenderer: NSObject {
  private let size: CGSize
  /// The format of the pictures.
  public let format: UIGraphicsImageRendererFormat

  /// Creates a renderer of pictures with a size in points.
  public convenience init(size: CGSize) { self.init(size: size, format: UIGraphicsImageRendererFormat()) }

  /// Creates a renderer of pictures with a size in points.
  public init(size: CGSize, format: UIGraphicsImageRendererFormat) {
    self.size = size
    self.format = format
    super.init()
  }

  /// Creates a renderer of pictures with a size in points.
  public convenience init(bounds: CGRect) { self.init(size: bounds.size) }

  /// Calls the app's drawing, and returns a picture: an empty one for a size that no picture can have.
  open func image(actions: (UIGraphicsImageRendererContext) -> Void) -> UIImage {
    actions(UIGraphicsImageRendererContext(format, size))
    /// The pixels of a side; nil for a side that no picture can have.
    func pixels(_ side: CGFloat) -> Int? {
      let count = (side * format.scale).rounded(.up)
      return count >= 1 && count <= CGFloat(ImageLimits.side) ? Int(count) : nil
    }
    guard format.scale > 0, let width = pixels(size.width), let height = pixels(size.height) else { return UIImage() }
    return UIImage(
      ImageContent(origin: .drawn, pixels: PixelSize(width: width, height: height), scale: format.scale))
  }
}

/// A drawing context. It accepts drawing and has no pixels.
open class UIGraphicsImageRendererContext: NSObject {
  /// The format of the picture.
  public let format: UIGraphicsImageRendererFormat
  /// The drawing of Core Graphics.
  public let cgContext: CGContext

  init(_ format: UIGraphicsImageRendererFormat, _ size: CGSize) {
    self.format = format
    cgContext = CGContext(size)
    super.init()
  }

  /// Fills a rectangle.
  open func fill(_ rect: CGRect) {}

  /// Draws only within a rectangle from now on.
  open func clip(to rect: CGRect) {}
}

/// The drawing of Core Graphics.
public final class CGContext {
  /// The width, in points.
  public let width: Int
  /// The height, in points.
  public let height: Int

  init(_ size: CGSize) {
    /// The nearest size that a picture can have.
    func side(_ length: CGFloat) -> Int { Int(max(0, min(CGFloat(ImageLimits.side), length.isNaN ? 0 : length))) }
    width = side(size.width)
    height = side(size.height)
  }

  /// Remembers the state of the drawing.
  public func saveGState() {}
  /// Returns to the state that was remembered last.
  public func restoreGState() {}
  /// Moves what is drawn next.
  public func translateBy(x tx: CGFloat, y ty: CGFloat) {}
  /// Scales what is drawn next.
  public func scaleBy(x sx: CGFloat, y sy: CGFloat) {}
  /// Turns what is drawn next, by radians.
  public func rotate(by angle: CGFloat) {}
  /// Fills a rectangle.
  public func fill(_ rect: CGRect) {}
  /// Fills the ellipse of a rectangle.
  public func fillEllipse(in rect: CGRect) {}
}

/// A path of lines and curves. It has the rectangle around its points; nothing is drawn.
open class UIBezierPath: NSObject {
  private var box: CGRect?
  /// The width of a line, in points.
  open var lineWidth: CGFloat = 1

  /// Creates a path without points.
  public override init() { super.init() }

  /// Creates a rectangle.
  public convenience init(rect: CGRect) {
    self.init()
    box = rect
  }

  /// Creates a rectangle with round corners.
  public convenience init(roundedRect rect: CGRect, cornerRadius: CGFloat) { self.init(rect: rect) }

  /// Creates the ellipse of a rectangle.
  public convenience init(ovalIn rect: CGRect) { self.init(rect: rect) }

  /// The rectangle around the points.
  open var bounds: CGRect { box ?? .zero }

  /// Begins a new line.
  open func move(to point: CGPoint) { add(point) }

  /// Adds a line.
  open func addLine(to point: CGPoint) { add(point) }

  /// Adds a line to the begin of the path.
  open func close() {}

  /// Fills the path.
  open func fill() {}

  /// Draws the line of the path.
  open func stroke() {}

  /// Draws only within the path from now on.
  open func addClip() {}

  private func add(_ point: CGPoint) {
    let rect = CGRect(origin: point, size: .zero)
    box = box.map { $0.union(rect) } ?? rect
  }
}

extension UIColor {
  /// Draws lines and areas in the color.
  public func set() {}
  /// Fills areas in the color.
  public func setFill() {}
  /// Draws lines in the color.
  public func setStroke() {}
}

extension UIImage {
  /// Draws the image into a rectangle.
  public func draw(in rect: CGRect) {}
  /// Draws the image at a point.
  public func draw(at point: CGPoint) {}
}
