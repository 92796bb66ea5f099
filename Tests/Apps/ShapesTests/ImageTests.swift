// swift-iap2 · Apache-2.0

import Basics
import CarSupport
import Foundation
import Synchronization
import Testing
import UIKit

/// Images that cannot be made are reported to the car of the process, so no test has one meanwhile.
@Suite(.onlyCar) struct ImageTests {
  @Test(arguments: [(1, 1), (7, 300), (120, 120), (300, 7)])
  func `an image has the size of its file's header`(width: Int, height: Int) throws {
    for file in [ImageFiles.png(width: width, height: height), ImageFiles.jpeg(width: width, height: height)] {
      let image = try #require(UIImage(data: file))
      #expect(image.size == CGSize(width: width, height: height))
      #expect(image.scale == 1)
      let sharp = try #require(UIImage(data: file, scale: 2))
      #expect(sharp.size == CGSize(width: Double(width) / 2, height: Double(height) / 2))
      #expect(sharp.content.pixels == PixelSize(width: width, height: height))
    }
  }

  @Test(arguments: [(1, UIImage.Orientation.up), (3, .down), (6, .right), (8, .left), (5, .leftMirrored)])
  func `an Exif segment turns an image`(value: Int, orientation: UIImage.Orientation) throws {
    for isLittleEndian in [true, false] {
      let exif = ImageFiles.exif(orientation: value, isLittleEndian: isLittleEndian)
      let image = try #require(UIImage(data: ImageFiles.jpeg(width: 40, height: 20, exif: exif)))
      #expect(image.imageOrientation == orientation)
      #expect(image.size == (value < 5 ? CGSize(width: 40, height: 20) : CGSize(width: 20, height: 40)))
    }
  }

  @Test func `a damaged Exif segment does not take the image away`() throws {
    let exif = ImageFiles.exif(orientation: 6, isLittleEndian: true)
    for count in 0..<exif.count {
      let image = try #require(UIImage(data: ImageFiles.jpeg(width: 40, height: 20, exif: exif.prefix(count))))
      #expect(image.content.pixels == PixelSize(width: 40, height: 20))
    }
  }

  @Test func `no part of a file is an image`() {
    let png = ImageFiles.png(width: 20, height: 20)
    for count in 0..<png.count { #expect(UIImage(data: png.prefix(count)) == nil, "\(count) bytes of a PNG") }
    // The pixels of a JPEG have no length, so a part of them is not found.
    let jpeg = ImageFiles.jpeg(width: 800, height: 800)
    for count in 0..<(jpeg.count - 1252) {
      #expect(UIImage(data: jpeg.prefix(count)) == nil, "\(count) bytes of a JPEG")
    }
  }

  @Test func `bytes in the middle of other bytes are read like any`() throws {
    let file = Data(count: 5) + ImageFiles.png(width: 3, height: 4)
    #expect(try #require(UIImage(data: file.dropFirst(5))).size == CGSize(width: 3, height: 4))
  }

  private func problem(of data: Data, scale: CGFloat = 1) -> ImageProblem? {
    do throws(ImageProblem) {
      _ = try ImageContent(data: data, scale: scale)
      return nil
    } catch {
      return error
    }
  }

  private func png(_ header: Data, pixels: Data) -> Data {
    ImageFiles.pngSignature + ImageFiles.chunk("IHDR", header) + ImageFiles.chunk("IDAT", pixels)
      + ImageFiles.chunk("IEND", Data())
  }

  @Test func `an image that has fewer pixels than its header says is refused with both numbers`() {
    let size = PixelSize(width: 16000, height: 16000)
    let png = png(ImageFiles.pngHeader(width: 16000, height: 16000), pixels: Data(count: 1000))
    #expect(problem(of: png) == .liesAboutSize(.png, size, dataBytes: 1000))
    #expect(UIImage(data: png) == nil)

    let small = ImageFiles.jpeg(width: 8, height: 8)
    let frame = ImageFiles.jpegFrame(width: 8, height: 8)
    var jpeg = small
    if let range = small.range(of: frame) {
      jpeg.replaceSubrange(range, with: ImageFiles.jpegFrame(width: 16000, height: 16000))
    }
    #expect(problem(of: jpeg) == .liesAboutSize(.jpeg, size, dataBytes: 3))
    #expect(UIImage(data: jpeg) == nil)
  }

  @Test(arguments: [(0, 10), (10, 0), (16385, 1), (1 << 31, 1), (0xffff_ffff, 0xffff_ffff)])
  func `a size that no image has is refused`(width: Int, height: Int) {
    let file = png(ImageFiles.pngHeader(width: width, height: height), pixels: Data(count: 100))
    #expect(problem(of: file) == .badSize(.png, PixelSize(width: width, height: height), limit: 16384))
  }

  @Test(arguments: [(3, 8), (16, 3), (8, 1), (4, 2), (0, 0), (255, 255)] as [(UInt8, UInt8)])
  func `samples that the format does not have are refused`(depth: UInt8, color: UInt8) {
    let header = ImageFiles.pngHeader(width: 1, height: 1, depth: depth, color: color)
    #expect(problem(of: png(header, pixels: Data(count: 100))) == .damaged(.png, "its header is wrong"))
  }

  @Test func `a second header is refused`() {
    let header = ImageFiles.chunk("IHDR", ImageFiles.pngHeader(width: 1, height: 1))
    #expect(problem(of: ImageFiles.pngSignature + header + header) == .damaged(.png, "its header is wrong"))
    let frame = ImageFiles.jpegFrame(width: 8, height: 8)
    #expect(
      problem(of: Data([0xff, 0xd8]) + frame + frame + Data(count: 100)) == .damaged(.jpeg, "its frame header is wrong")
    )
  }

  @Test func `a chunk that is longer than the file is refused`() {
    let file = ImageFiles.pngSignature + ImageFiles.chunk("tEXt", Data(), length: 0xffff_ffff)
    #expect(problem(of: file) == .damaged(.png, "it ends within a chunk"))
  }

  @Test func `bytes that are no image, and formats that are not read, have their reasons`() {
    #expect(problem(of: Data()) == .notAnImage(byteCount: 0))
    #expect(problem(of: Data("<html>".utf8)) == .notAnImage(byteCount: 6))
    #expect(problem(of: Data("GIF89a".utf8)) == .unsupported(format: "GIF"))
    for scale in [0, -1, .infinity, .nan] as [CGFloat] {
      #expect(problem(of: ImageFiles.png(width: 1, height: 1), scale: scale)?.description.contains("scale") == true)
    }
  }

  @Test func `the host is told why the app got no image`() {
    let heard = Mutex<[ImageProblem]>([])
    ImageProblem.setReporter { problem in heard.withLock { $0.append(problem) } }
    defer { ImageProblem.setReporter(nil) }
    #expect(UIImage(data: Data(count: 12_345)) == nil)
    #expect(heard.withLock { $0 }.contains(.notAnImage(byteCount: 12_345)))
  }

  @Test func `changed bytes give no image or one within the limits`() {
    var random = SeededGenerator(seed: 10)
    for file in [ImageFiles.png(width: 9, height: 9), ImageFiles.jpeg(width: 30, height: 30)] {
      for _ in 0..<3000 {
        var bytes = file
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          bytes[Int.random(in: 2..<min(180, bytes.count), using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        guard let image = UIImage(data: bytes) else { continue }
        let pixels = image.content.pixels
        #expect((1...16384).contains(pixels.width) && (1...16384).contains(pixels.height))
      }
    }
  }

  @Test func `a symbol keeps its name`() throws {
    let image = try #require(UIImage(systemName: "plus.magnifyingglass"))
    #expect(image.content.name == "plus.magnifyingglass")
    #expect(image.isSymbolImage)
    #expect(!image.content.hasKnownSize)
    #expect(image.withTintColor(.red).description == "symbol plus.magnifyingglass")
  }

  @Test(arguments: ["", "Plus", "plus magnifyingglass", "plus\u{0}", String(repeating: "a", count: 200)])
  func `a text that is no symbol's name gives nil`(name: String) { #expect(UIImage(systemName: name) == nil) }

  @Test func `an animated image has its frames and the size of the first one`() throws {
    let frames = try (1...12).map { try #require(UIImage(data: ImageFiles.png(width: $0, height: 10))) }
    let image = try #require(UIImage.animatedImage(with: frames, duration: 0.96))
    #expect(image.images?.count == 12)
    #expect(image.duration == 0.96)
    #expect(image.size == CGSize(width: 1, height: 10))
    #expect(UIImage.animatedImage(with: [], duration: 1) == nil)
  }

  @Test func `a drawn picture has the size that was asked for in the pixels of its format`() {
    let format = UIGraphicsImageRendererFormat()
    format.scale = 2
    var isDrawn = false
    let image = UIGraphicsImageRenderer(size: CGSize(width: 30, height: 20), format: format).image { context in
      UIColor.red.setFill()
      context.fill(CGRect(x: 0, y: 0, width: 30, height: 20))
      isDrawn = true
    }
    #expect(isDrawn)
    #expect(image.size == CGSize(width: 30, height: 20))
    #expect(image.content.pixels == PixelSize(width: 60, height: 40))
    for side in [0, -5, 1e9, .nan, .infinity] as [CGFloat] {
      #expect(UIGraphicsImageRenderer(size: CGSize(width: side, height: 5)).image { _ in }.size == .zero)
    }
  }

  @Test func `an asset gives the image for the appearance, also after changes of the image`() throws {
    let light = try #require(UIImage(data: ImageFiles.png(width: 1, height: 1)))
    let dark = try #require(UIImage(data: ImageFiles.png(width: 2, height: 2)))
    let asset = UIImageAsset()
    asset.register(light, with: UITraitCollection(userInterfaceStyle: .light))
    asset.register(dark, with: UITraitCollection(userInterfaceStyle: .dark))
    let image = asset.image(with: UITraitCollection(userInterfaceStyle: .light))
    let car = UITraitCollection(style: .dark, displayScale: 2, idiom: .carPlay)
    #expect(image.size.width == 1)
    #expect(image.resolved(for: car).size.width == 2)
    let template = image.withRenderingMode(.alwaysTemplate).resolved(for: car)
    #expect(template.size.width == 2)
    #expect(template.renderingMode == .alwaysTemplate)
    #expect(image.renderingMode == .automatic)
  }

  @Test func `a text has the size of its attachment`() throws {
    let image = try #require(UIImage(data: ImageFiles.png(width: 64, height: 25)))
    let text = NSMutableAttributedString(string: "Exit ")
    text.append(NSAttributedString(attachment: NSTextAttachment(image: image)))
    #expect(text.string == "Exit \u{FFFC}")
    #expect(text.attachments.map(\.size) == [CGSize(width: 64, height: 25)])
  }
}
