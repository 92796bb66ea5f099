// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Testing

@Suite struct TLV8Tests {
  @Test(arguments: [0, 1, 254, 255, 256, 510, 511, 1000])
  func valuesOfAnyLengthComeBack(count: Int) throws {
    let value = (0..<count).map { UInt8($0 & 0xFF) }
    let list = TLV8([(.publicKey, value), (.state, [3])])
    #expect(try TLV8(bytes: list.bytes) == list)
    #expect(list.bytes.count == value.count + 2 * max(1, (count + 254) / 255) + 3)
  }

  @Test func twoItemsOfAnUnknownTypeStayTwo() throws {
    let full = [UInt8](repeating: 5, count: 255)
    let bytes: [UInt8] = [0x20, 255] + full + [0x20, 0, 0x20, 1, 9]
    let list = try TLV8(bytes: bytes)
    #expect(list.items.map(\.value) == [full, [9]])
    #expect(list.bytes == bytes)
  }

  @Test func anItemThatEndsBehindTheBytesIsNone() {
    for bytes: [UInt8] in [[6], [6, 1], [6, 1, 1, 3, 5, 1]] {
      #expect(throws: TLV8.Problem.self) { try TLV8(bytes: bytes) }
    }
  }

  @Test func aTypeComesAgainOnlyBehindASeparator() throws {
    #expect(throws: TLV8.Problem.repeated(type: 1, offset: 3)) { try TLV8(bytes: [1, 1, 65, 1, 1, 66]) }
    let two = try TLV8(bytes: [1, 1, 65, 0xFF, 0, 1, 1, 66])
    #expect(two.items.map(\.value) == [[65], [], [66]])
    // An unknown type is kept, also twice.
    #expect(try TLV8(bytes: [0x70, 0, 0x70, 1, 2]).items.count == 2)
  }

  @Test func anyBytesAreReadOrRefusedAndWhatIsReadComesBack() {
    var random = SeededGenerator(seed: 8)
    var readCount = 0
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...8, using: &random) }
      guard let list = try? TLV8(bytes: bytes) else { continue }
      readCount += 1
      #expect(list.bytes == bytes)
    }
    #expect(readCount > 20)
  }
}
