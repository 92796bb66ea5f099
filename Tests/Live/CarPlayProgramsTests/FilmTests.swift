// swift-iap2 · Apache-2.0

import CarPlayPrograms
import CarPlaySession
import Foundation
import Testing

/// The films of a phone. The files are those of the tests of CarPlaySession.
@Suite struct FilmTests {
  private func fixture(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Protocol/CarPlaySessionTests/Fixtures")
    return Array(try Data(contentsOf: folder.appending(path: name)))
  }

  @Test func aFilmWithPicturesThatNeedLaterOnesIsRefused() throws {
    // `ffprobe -show_entries frame=pict_type,coded_picture_number bidirectional.h264` has a B first at 2.
    #expect(throws: VideoProblem.bidirectionalPicture(2)) { try Film(annexB: try fixture("bidirectional.h264")) }
    for name in ["clip.h264", "slices.h264"] {
      let bytes = try fixture(name)
      #expect(try Film(annexB: bytes).pictures.count == (try AnnexB.accessUnits(of: bytes).count))
    }
  }

  @Test func aFilmThatNoMessageCanCarryIsRefused() throws {
    let units = try AnnexB.units(of: try fixture("clip.h264"))
    let sets = units.filter { $0.type == 7 || $0.type == 8 }
    // The parameter set with the size ends behind its profile and level.
    let cut = NALUnit(Array(sets[0].bytes.prefix(5)))
    #expect(throws: VideoProblem.badSequenceParameterSet) {
      try Film(annexB: AnnexB.bytes(of: [cut] + units.filter { $0.type != 7 }))
    }
    let slice = try #require(units.first { $0.type == 5 })
    let long = NALUnit(slice.bytes + [UInt8](repeating: 0x55, count: FrameBody.maximumByteCount))
    #expect(throws: VideoProblem.frameTooLong(long.bytes.count + 4)) {
      try Film(annexB: AnnexB.bytes(of: sets.prefix(2) + [long]))
    }
  }

  @Test func aFilmHasAConfigurationBeforeEachChangeOfItsParameterSets() throws {
    let film = try Film(annexB: try fixture("clip.h264"))
    #expect(film.pictures.indices.filter { film.pictures[$0].configuration != nil } == [0])
    let both = try Film(annexB: try fixture("clip.h264") + (try fixture("slices.h264")))
    #expect(both.pictures.indices.filter { both.pictures[$0].configuration != nil } == [0, 30])
    #expect(both.pictures[30].configuration?.width == 64 && both.pictures[0].configuration?.width == 160)
  }
}
