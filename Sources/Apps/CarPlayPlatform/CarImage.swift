// swift-iap2 · Apache-2.0

public import Foundation

/// An image of the app: the bytes of its file, for a program that draws.
public struct CarImage: Sendable, Hashable, Codable {
  /// The name by which parts of a screen have the image; it follows from the content.
  public var id: String
  /// The bytes of a PNG or JPEG file.
  public var data: Data
  /// The quarter turns clockwise in which the pixels are drawn, from 0 to 3.
  public var turns: Int
  /// Whether only the opacity counts, as a shape in the color of the place.
  public var isShape: Bool

  /// Creates an image.
  public init(id: String, data: Data, turns: Int = 0, isShape: Bool = false) {
    self.id = id
    self.data = data
    self.turns = turns
    self.isShape = isShape
  }

  private enum CodingKeys: String, CodingKey {
    case id, data, turns
    case isShape = "shape"
  }
}
