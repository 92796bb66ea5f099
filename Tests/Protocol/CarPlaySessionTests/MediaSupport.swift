// swift-iap2 · Apache-2.0

import Basics
import Foundation

extension SeededGenerator {
  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }

  /// Returns bytes with some of them changed, and often cut.
  mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...8, using: &self) where !bytes.isEmpty {
      bytes[Int.random(in: bytes.indices, using: &self)] = UInt8.random(in: 0...255, using: &self)
    }
    return Bool.random(using: &self) ? bytes : Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &self)))
  }
}

/// Files of H.264 that ffmpeg 5.1.9 with libx264 made.
///
/// `clip.h264`: `ffmpeg -f lavfi -i testsrc=size=160x96:rate=30 -frames:v 30 -c:v libx264 -profile:v baseline
/// -pix_fmt yuv420p -g 10 -keyint_min 10 -sc_threshold 0 -bf 0 -threads 1 -crf 32 -bsf:v filter_units=remove_types=6
/// clip.h264`.
///
/// `slices.h264`, two slices and a delimiter for each picture: `ffmpeg -f lavfi -i testsrc=size=64x64:rate=30
/// -frames:v 6 -c:v libx264 -profile:v high -pix_fmt yuv420p -g 3 -bf 0 -threads 1 -crf 45 -x264-params
/// slices=2:aud=1 -bsf:v filter_units=remove_types=6 slices.h264`.
func fixture(_ name: String) throws -> [UInt8] {
  let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
  return Array(try Data(contentsOf: folder.appending(path: name)))
}
