// swift-iap2 · Apache-2.0

public import Foundation

/// An image within a text, such as the sign of a road in an instruction.
open class NSTextAttachment: NSObject {
  /// The image.
  open var image: UIImage?
  /// The rectangle of the image, in points; empty for the size of the image.
  open var bounds = CGRect.zero

  /// Creates an attachment without an image.
  public override init() { super.init() }

  /// Creates an attachment with an image.
  public convenience init(image: UIImage) {
    self.init()
    self.image = image
  }

  /// The size with which the attachment is drawn, in points.
  package var size: CGSize { bounds.isEmpty ? image?.size ?? .zero : bounds.size }
}

extension NSAttributedString.Key {
  /// The key of an ``NSTextAttachment``.
  public static let attachment = NSAttributedString.Key(rawValue: "NSAttachment")
}

extension NSAttributedString {
  /// Creates a text of an attachment only.
  public convenience init(attachment: NSTextAttachment) {
    self.init(string: "\u{FFFC}", attributes: [.attachment: attachment])
  }

  /// The attachments of the text, in order.
  package var attachments: [NSTextAttachment] {
    var found: [NSTextAttachment] = []
    unsafe enumerateAttribute(.attachment, in: NSRange(location: 0, length: length)) { value, _, _ in
      if let attachment = value as? NSTextAttachment { found.append(attachment) }
    }
    return found
  }
}
