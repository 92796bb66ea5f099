// swift-iap2 · Apache-2.0

import Basics
package import CarPlayPlatform
import Foundation
import UIKit

/// The images of the app that its screens show, with their bytes, for a drawing program.
@MainActor
package struct ImageStore {
  /// The largest image in bytes. A line of the control connection has 4 MiB, and Base64 makes four bytes from three.
  static let maximumBytes = 2 << 20
  /// The largest total of all images in bytes. A list of 500 rows with images of 100 kB has less.
  static let maximumTotalBytes = 64 << 20
  /// The maximum number of images whose identifiers are stored, so that their bytes are read once.
  private static let maximumNames = 2000

  private struct Name {
    var image: WeakBox<UIImage>
    var id: String
  }

  private var names: [ObjectIdentifier: Name] = [:]
  private var total = 0
  /// The images by their identifiers.
  package private(set) var images: [String: CarImage] = [:]
  /// The images that were not taken yet, in the order of arrival.
  private var fresh: [CarImage] = []

  package init() {}

  /// Returns the identifier of an image; nil for an image without bytes, such as a symbol or a drawing.
  mutating func id(of image: UIImage) -> String? {
    let object = ObjectIdentifier(image)
    if let known = names[object], known.image.object === image { return known.id }
    let content = image.content.data == nil ? image.content.frames.first?.content ?? image.content : image.content
    guard let data = content.data, data.count <= Self.maximumBytes else { return nil }
    let isShape = content.renderingMode == .alwaysTemplate
    let turns = content.orientation.quarterTurns
    let id = String(data.fnv1a, radix: 16) + "-\(turns)" + (isShape ? "s" : "")
    if images[id] == nil {
      guard total + data.count <= Self.maximumTotalBytes else { return nil }
      total += data.count
      let image = CarImage(id: id, data: data, turns: turns, isShape: isShape)
      images[id] = image
      fresh.append(image)
    }
    if names.count >= Self.maximumNames { names = names.filter { $0.value.image.object != nil } }
    if names.count < Self.maximumNames { names[object] = Name(image: WeakBox(image), id: id) }
    return id
  }

  /// Returns the images that were added since the last call.
  mutating func take() -> [CarImage] {
    defer { fresh = [] }
    return fresh
  }
}

extension UIImage.Orientation {
  /// The number of quarter turns clockwise. The car does not mirror pixels.
  fileprivate var quarterTurns: Int {
    switch self {
    case .up, .upMirrored: 0
    case .right, .rightMirrored: 1
    case .down, .downMirrored: 2
    case .left, .leftMirrored: 3
    }
  }
}

extension Element {
  /// Returns the part with its image, if images are stored.
  func showing(_ image: UIImage?, accessory: UIImage? = nil, of host: CarHost) -> Element {
    guard host.images != nil else { return self }
    var part = self
    part.node.image = host.imageID(image)
    part.node.accessory = host.imageID(accessory)
    return part
  }
}

extension CarHost {
  /// Returns the identifier of an image, if images are stored and the car can draw it.
  func imageID(_ image: UIImage?) -> String? {
    guard let image, !failedImages.contains(ObjectIdentifier(image)) else { return nil }
    return images?.id(of: image)
  }
}
