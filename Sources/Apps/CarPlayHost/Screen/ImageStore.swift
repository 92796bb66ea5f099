// swift-iap2 · Apache-2.0

import Basics
package import CarPlayPlatform
import Foundation
package import UIKit

/// The images of the app that its screens show, with their bytes, for a drawing program.
@MainActor
package struct ImageStore {
  /// The largest image in bytes. A line of the control connection has 4 MiB, and Base64 makes four bytes from three.
  static let maximumBytes = 2 << 20
  /// The largest total of the kept images in bytes. A list of 500 rows with images of 100 kB has less. An image that
  /// does not fit takes the place of those that the present screens do not show, the longest unused first.
  package static let maximumTotalBytes = 64 << 20
  /// The maximum number of images whose identifiers are stored, so that their bytes are read once.
  private static let maximumNames = 2000

  private struct Name {
    var image: WeakBox<UIImage>
    var id: String
  }

  private var names: [ObjectIdentifier: Name] = [:]
  private let maximumTotal: Int
  private var total = 0
  /// The images by their identifiers.
  package private(set) var images: [String: CarImage] = [:]
  /// The number of the answer that showed an image last, by the image's identifier.
  private var shown: [String: Int] = [:]
  /// The number of answers so far.
  private var turn = 0
  /// The images that were not taken yet, in the order of arrival.
  private var fresh: [CarImage] = []
  /// The identifiers that were removed since the last answer.
  private var forgotten: Set<String> = []

  /// Creates an empty store.
  ///
  /// - Parameter maximumTotal: The largest total of the kept images in bytes.
  package init(maximumTotal: Int = Self.maximumTotalBytes) { self.maximumTotal = maximumTotal }

  /// Returns the identifier of an image; nil for an image without bytes, such as a symbol or a drawing.
  package mutating func id(of image: UIImage) -> String? {
    let object = ObjectIdentifier(image)
    if let known = names[object], known.image.object === image, images[known.id] != nil {
      shown[known.id] = turn
      return known.id
    }
    let content = image.content.data == nil ? image.content.frames.first?.content ?? image.content : image.content
    guard let data = content.data, data.count <= Self.maximumBytes else { return nil }
    let isShape = content.renderingMode == .alwaysTemplate
    let turns = content.orientation.quarterTurns
    let id = String(data.fnv1a, radix: 16) + "-\(turns)" + (isShape ? "s" : "")
    if images[id] == nil {
      guard makeRoom(for: data.count) else { return nil }
      total += data.count
      let image = CarImage(id: id, data: data, turns: turns, isShape: isShape)
      images[id] = image
      fresh.append(image)
      forgotten.remove(id)
    }
    shown[id] = turn
    if names.count >= Self.maximumNames { names = names.filter { $0.value.image.object != nil } }
    if names.count < Self.maximumNames { names[object] = Name(image: WeakBox(image), id: id) }
    return id
  }

  /// Removes images that the present answer does not show until a number of bytes fits. Returns whether it fits.
  private mutating func makeRoom(for byteCount: Int) -> Bool {
    guard total + byteCount > maximumTotal else { return true }
    let unused = shown.filter { $0.value < turn }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    for (id, _) in unused where total + byteCount > maximumTotal {
      total -= images.removeValue(forKey: id)?.data.count ?? 0
      shown[id] = nil
      forgotten.insert(id)
    }
    return total + byteCount <= maximumTotal
  }

  /// Returns the changes since the last call: the added images, and the identifiers of the removed ones. The next answer
  /// begins.
  package mutating func take() -> (added: [CarImage], forgotten: [String]) {
    defer {
      (fresh, forgotten) = ([], [])
      turn += 1
    }
    return (fresh, forgotten.sorted())
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
