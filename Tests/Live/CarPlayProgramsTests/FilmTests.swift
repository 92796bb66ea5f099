// swift-iap2 · Apache-2.0

import CarPlayPrograms
import CarPlaySession
import Foundation
import Synchronization
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
      let film = try Film(annexB: bytes)
      let units = try AnnexB.accessUnits(of: bytes)
      #expect(film.count == units.count)
      for (index, unit) in units.enumerated() {
        let picture = try film.picture(at: index)
        #expect(picture.body == (try FrameBody.bytes(of: unit.frameUnits)) && picture.isKeyFrame == unit.isKeyFrame)
      }
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
    #expect {
      try Film(annexB: AnnexB.bytes(of: sets.prefix(2) + [long]))
    } throws: { error in
      guard case .frameTooLong(let count)? = error as? VideoProblem else { return false }
      return count > FrameBody.maximumByteCount
    }
  }

  @Test func aFilmHasAConfigurationBeforeEachKeyFrame() throws {
    // `ffprobe -show_entries frame=key_frame clip.h264` has a 1 at 0, 10 and 20.
    let film = try Film(annexB: try fixture("clip.h264"))
    #expect(try configurations(of: film).keys.sorted() == [0, 10, 20])
    let both = try Film(annexB: try fixture("clip.h264") + (try fixture("slices.h264")))
    let widths = try configurations(of: both).mapValues(\.width)
    #expect(widths[30] == 64 && widths.allSatisfy { $0.value == ($0.key < 30 ? 160 : 64) })
  }

  private func configurations(of film: Film) throws -> [Int: ScreenMessage] {
    var found: [Int: ScreenMessage] = [:]
    for index in 0..<film.count { found[index] = try film.picture(at: index).configuration }
    return found
  }

  /// Bytes that count how many of them are read at once, and that can end early.
  private final class Watched: MediaBytes {
    let all: [UInt8]
    let largest = Mutex(0)
    let end: Mutex<Int>

    init(_ all: [UInt8]) {
      self.all = all
      end = Mutex(all.count)
    }

    var count: Int { all.count }

    func bytes(in range: Range<Int>) -> [UInt8] {
      largest.withLock { $0 = max($0, range.count) }
      let end = end.withLock { $0 }
      return Array(all[range.clamped(to: 0..<end)])
    }
  }

  @Test func aFilmIsReadAsItIsPlayed() throws {
    let clip = try fixture("clip.h264")
    let bytes = Watched(Array(repeatElement(clip, count: 2 << 20 / clip.count + 1).joined()))
    let film = try Film(annexB: bytes)
    #expect(film.count == bytes.count / clip.count * (try Film(annexB: clip).count))
    #expect(bytes.largest.withLock { $0 } <= 1 << 18, "a part of the film at a time")
    // A picture needs its own bytes alone.
    bytes.largest.withLock { $0 = 0 }
    _ = try film.picture(at: film.count - 1)
    #expect(bytes.largest.withLock { $0 } < clip.count)
    // A file that becomes shorter ends the film, and nothing else.
    bytes.end.withLock { $0 = bytes.count / 2 }
    _ = try film.picture(at: 0)
    #expect(throws: VideoProblem.changed) { try film.picture(at: film.count - 1) }
    #expect(throws: VideoProblem.changed) { try Film(annexB: bytes) }
  }
}
