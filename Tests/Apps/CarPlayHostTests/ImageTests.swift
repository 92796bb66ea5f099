// swift-iap2 · Apache-2.0

import CarPlayTesting
import Foundation
import Testing

extension CarTests {
  /// Tests of the two inputs that a picture of the screen needs beside the tree: the bytes of images, and the map.
  @Suite @MainActor
  struct ImageTests {
    /// A PNG file of one pixel. Its chunks' checksums were computed with zlib.
    private static let pixel = Data(
      base64Encoded:
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")

    private func image() throws -> UIImage {
      let data = try #require(Self.pixel)
      return try #require(UIImage(data: data, scale: 2))
    }

    @Test func `images with bytes have names in the tree, and equal bytes have one`() async throws {
      let car = Car(.standard)
      car.host.images = ImageStore()
      let (first, second) = (try image(), try image())
      await car.launch(.audio) {
        PlainScene { controller in
          let items = [first, second, UIImage(systemName: "star")].map { image in
            CPListItem(text: "Row", detailText: nil, image: image)
          }
          controller.setRootTemplate(
            CPListTemplate(title: "Albums", sections: [CPListSection(items: items)]), animated: false, completion: nil)
        }
      }
      let names = car.screen.all(.row).map(\.image)
      #expect(names.count == 3 && names[0] != nil && names[0] == names[1] && names[2] == nil)
      let kept = try #require(car.host.images).images
      #expect(kept.count == 1 && kept[names[0] ?? ""]?.data == Self.pixel)
    }

    @Test func `without a program that draws no bytes are kept`() async throws {
      let car = Car(.standard)
      let image = try image()
      await car.launch(.audio) {
        PlainScene {
          $0.setRootTemplate(
            CPListTemplate(
              title: "", sections: [CPListSection(items: [CPListItem(text: "A", detailText: nil, image: image)])]),
            animated: false, completion: nil)
        }
      }
      #expect(car.screen.all(.row).map(\.image) == [nil])
      #expect(car.host.images == nil)
    }

    @Test func `a template image is a shape`() async throws {
      let car = Car(.standard)
      car.host.images = ImageStore()
      let images = [try image(), try image().withRenderingMode(.alwaysTemplate)]
      await car.launch(.audio) {
        PlainScene { controller in
          let items = images.map { CPListItem(text: "Row", detailText: nil, image: $0) }
          controller.setRootTemplate(
            CPListTemplate(title: "Albums", sections: [CPListSection(items: items)]), animated: false, completion: nil)
        }
      }
      let names = car.screen.all(.row).compactMap(\.image)
      #expect(Set(names).count == 2)
      #expect(names.map { car.host.images?.images[$0]?.isShape } == [false, true])
    }

    @Test func `the views of the app's window lie below its map template`() async throws {
      let car = Car(.standard)
      await car.launch(.navigation) {
        MapScene { scene in
          let sign = UILabel(frame: CGRect(x: 20, y: 30, width: 60, height: 40))
          sign.text = "50"
          sign.textColor = .white
          let hidden = UILabel(frame: sign.frame)
          hidden.text = "hidden"
          hidden.isHidden = true
          let box = UIView(frame: CGRect(x: 100, y: 50, width: 200, height: 100))
          box.backgroundColor = .black
          box.addSubview(sign)
          scene.window?.rootViewController?.view.addSubview(box)
          scene.window?.rootViewController?.view.addSubview(hidden)
        }
      }
      let map = try #require(car.host.mapBelow())
      let parts = map.parts.filter { $0.text != nil || $0.frame.width == 200 }
      #expect(parts.map(\.text) == [nil, "50"])
      #expect(parts.map(\.frame.origin) == [CGPoint(x: 100, y: 50), CGPoint(x: 120, y: 80)])
      #expect(parts[0].ground == CarColor(red: 0, green: 0, blue: 0))
      #expect(parts[1].ink == CarColor(red: 1, green: 1, blue: 1))
      await car.goHome()
      #expect(car.host.mapBelow() == nil)
    }

    @Test func `pan buttons and a finger move the map`() async throws {
      let car = Car(.standard)
      let scene = MapScene()
      await car.launch(.navigation) { scene }
      #expect(car.host.mapBelow()?.moved == .zero)
      scene.map.showPanningInterface(animated: false)
      await car.settle()
      await car.pan(.right)
      await car.pan(.right)
      await car.pan(.down)
      #expect(car.host.mapBelow()?.moved == CGPoint(x: -80, y: -40))
    }
  }
}
