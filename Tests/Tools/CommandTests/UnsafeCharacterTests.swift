// swift-iap2 · Apache-2.0

import IAP2
import SourcePorting
import Testing

@Suite struct UnsafeCharacterTests {
  @Test("The converter of source replaces the same characters as every other output")
  func bothTablesAreEqual() {
    let different = (UInt32(0)...0x10FFFF).lazy.compactMap(Unicode.Scalar.init).filter {
      $0.isUnsafe != $0.isUnsafeInText
    }
    #expect(Array(different.prefix(5)) == [])
  }
}
