// swift-iap2 · Apache-2.0

package import Foundation
import Synchronization

/// The reason why there is no image. The app gets nil, as on iOS; the host gets the reason.
package enum ImageProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// A file that cannot be read.
  case unreadable(path: String, reason: String)
  /// A file with more bytes than an image may have.
  case tooManyBytes(Int, limit: Int)
  /// Bytes of no known format.
  case notAnImage(byteCount: Int)
  /// A format that this module does not read, such as `GIF`.
  case unsupported(format: String)
  /// A damaged file: the part that is wrong.
  case damaged(ImageFormat, String)
  /// A width or height of 0, or larger than an image may have.
  case badSize(ImageFormat, PixelSize, limit: Int)
  /// A header with more pixels than the data of the file can hold.
  case liesAboutSize(ImageFormat, PixelSize, dataBytes: Int)
  /// A scale that is no positive number.
  case badScale(Double)
  /// A text that is no name of a symbol.
  case notASymbolName(String)
  /// A name of no image in the bundle.
  case noImage(named: String)

  package var description: String {
    switch self {
    case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
    case .tooManyBytes(let count, let limit): "an image has \(count) bytes; at most \(limit) are read"
    case .notAnImage(let count): "\(count) bytes are no PNG and no JPEG"
    case .unsupported(let format): "\(format) images are not read here; use PNG or JPEG"
    case .damaged(let format, let part): "a \(format.rawValue) image is damaged: \(part)"
    case .badSize(let format, let size, let limit):
      "a \(format.rawValue) image is \(size.width)x\(size.height) px; each side must be from 1 to \(limit)"
    case .liesAboutSize(let format, let size, let count):
      "a \(format.rawValue) image claims \(size.width)x\(size.height) px, but has only \(count) bytes of pixels"
    case .badScale(let scale): "an image cannot have the scale \(scale)"
    case .notASymbolName(let name): "\(name.prefix(64).debugDescription) cannot be the name of a symbol"
    case .noImage(let name): "there is no image named \(name.prefix(64).debugDescription)"
    }
  }

  private static let reporter = Mutex<(@Sendable (ImageProblem) -> Void)?>(nil)

  /// Sets what gets the problems of `UIImage`'s initializers, on the thread of the app's call.
  package static func setReporter(_ new: (@Sendable (ImageProblem) -> Void)?) { reporter.withLock { $0 = new } }

  static func report(_ problem: ImageProblem) { reporter.withLock { $0 }?(problem) }
}

/// Limits of images.
package enum ImageLimits {
  /// The bytes of a file. An image of a car's whole screen has some megabytes.
  package static let bytes = 64 << 20
  /// The pixels of a side. It is the largest texture of the phones' graphics.
  package static let side = 16384
}

extension ImageContent {
  /// Reads the header of an image, and holds the bytes to it.
  package init(data: Data, scale: CGFloat) throws(ImageProblem) {
    guard scale > 0, scale.isFinite else { throw .badScale(Double(scale)) }
    guard data.count <= ImageLimits.bytes else { throw .tooManyBytes(data.count, limit: ImageLimits.bytes) }
    let header = try ImageHeader(data)
    self.init(origin: .data(header.format), pixels: header.size, scale: scale)
    orientation = header.orientation
    self.data = data
  }

  /// Reads a file. `name` is the image's name in the bundle.
  package init(file path: String, name: String?, scale: CGFloat? = nil) throws(ImageProblem) {
    let data: Data
    do {
      // A device or a pipe has no end, and a directory no bytes.
      let attributes = try FileManager.default.attributesOfItem(
        atPath: URL(filePath: path).resolvingSymlinksInPath().path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else {
        throw ImageProblem.unreadable(path: path, reason: "it is not a file")
      }
      let count = attributes[.size] as? Int ?? 0
      guard count <= ImageLimits.bytes else { throw ImageProblem.tooManyBytes(count, limit: ImageLimits.bytes) }
      data = try Data(contentsOf: URL(filePath: path))
    } catch let problem as ImageProblem {
      throw problem
    } catch {
      throw .unreadable(path: path, reason: error.localizedDescription)
    }
    let stem = URL(filePath: path).deletingPathExtension().lastPathComponent
    let scaleOfName: CGFloat = stem.hasSuffix("@3x") ? 3 : stem.hasSuffix("@2x") ? 2 : 1
    try self.init(data: data, scale: scale ?? scaleOfName)
    if let name { origin = .asset(name) }
  }

  /// Takes the name of a symbol. There is no list of them here, so only impossible names are found.
  package init(symbol name: String) throws(ImageProblem) {
    let isName =
      !name.isEmpty && name.utf8.count <= 128
      && name.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2e }
    guard isName else { throw .notASymbolName(name) }
    self.init(ofUnknownSize: .symbol(name))
  }
}
