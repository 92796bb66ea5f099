// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Testing
import WireSupport

@Suite struct DataPackageTests {
  /// A package in the layout of CarPlaySession.md#data-package.
  private let sync = hex(
    "00000023" + "73796e630000000000000000" + "636f6d6d" + "0000000100000002" + "00000000" + "ff5a01")
  private let reply = hex("00000020" + "72706c790000000000000000" + "00000000" + "0000000100000002" + "00000000")

  @Test func dataHasItsCommandInAnyKindButAReply() {
    #expect(DataPackage(sequence: 1, body: [5]).data == [5])
    // The kind `cmnd`, which one program takes as well.
    #expect(DataPackage(.other(0x636D_6E64), sequence: 1, body: [5]).data == [5])
    #expect(DataPackage(.other(0x636D_6E64), sequence: 1, body: [5]).reply == nil)
    #expect(DataPackage(.reply, sequence: 1, body: [5]).data == nil)
    #expect(DataPackage(command: 7, sequence: 1, body: [5]).data == nil)
    #expect(DataPackage(sequence: 1).data == nil)
  }

  @Test func aPackageAndItsReplyHaveTheBytesOfThePage() throws {
    let package = DataPackage(sequence: 0x1_0000_0002, body: [0xFF, 0x5A, 1])
    #expect(try package.bytes() == sync)
    #expect(try package.reply?.bytes() == reply)
    var reader = DataPackageReader()
    reader.add(sync + reply)
    #expect(try reader.next() == package)
    let answer = try #require(try reader.next())
    #expect(answer == package.reply && answer.reply == nil)
    #expect(try reader.next() == nil)
  }

  @Test func packagesComeBackHoweverTheyAreCut() throws {
    let packages = [
      DataPackage(sequence: 1, body: [1]), DataPackage(.reply, command: 0, sequence: .max),
      DataPackage(.other(0x6162_6364), command: 7, sequence: 0, body: [UInt8](repeating: 5, count: 3000)),
    ]
    let bytes = try packages.flatMap { try $0.bytes() }
    for piece in [1, 31, 33, 1000, bytes.count] {
      var reader = DataPackageReader()
      var read: [DataPackage] = []
      for start in stride(from: 0, to: bytes.count, by: piece) {
        reader.add(bytes[start..<min(start + piece, bytes.count)])
        while let package = try reader.next() { read.append(package) }
      }
      #expect(read == packages)
    }
  }

  @Test func aWrongSizeEndsThePackages() throws {
    let most = DataPackage.maximumByteCount
    for (size, problem) in [
      ("00000000", DataPackageProblem.tooShort(0)), ("0000001f", .tooShort(31)), ("ffffffff", .tooLong(0xFFFF_FFFF)),
      ("00100021", .tooLong(most + 1)),
    ] {
      var reader = DataPackageReader()
      reader.add(hex(size))
      #expect(throws: problem) { try reader.next() }
    }
    let body = [UInt8](repeating: 0, count: most - DataPackage.headerByteCount)
    #expect(try DataPackage(sequence: 0, body: body).bytes().count == most)
    #expect(throws: DataPackageProblem.tooLong(most + 1)) { try DataPackage(sequence: 0, body: body + [0]).bytes() }
    var random = SeededGenerator(seed: 5)
    for _ in 0..<3000 {
      var reader = DataPackageReader()
      reader.add(random.damaged(sync + reply))
      while (try? reader.next()) != nil {}
    }
  }
}
