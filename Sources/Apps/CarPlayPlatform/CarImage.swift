// swift-iap2 · Apache-2.0

public import Foundation

/// An image of the app: the bytes of its file, for a drawing program.
public struct CarImage: Sendable, Hashable, Codable {
  /// The identifier that the parts of a screen use for the image. It is derived from the content.
  public var id: String
  /// The bytes of a PNG or JPEG file.
  public var data: Data
  /// The quarter turns clockwise in which the pixels are drawn, from 0 to 3.
  public var turns: Int
  /// Whether only the opacity is used, as a shape in the color of the place where it is drawn.
  public var isShape: Bool

  /// Creates an image.
  public init(id: String, data: Data, turns: Int = 0, isShape: Bool = false) {
    self.id = id
    self.data = data
    self.turns = turns
    self.isShape = isShape
  }

  /// The most images that a drawing program keeps. With more, it forgets all and gets those of the present screen again.
  package static let maximumCount = 256

  private enum CodingKeys: String, CodingKey {
    case id, data, turns
    case isShape = "shape"
  }
}
