// swift-iap2 · Apache-2.0

import Foundation

/// The bytes of a sound, read with checks: a place beyond the end has no number.
struct SoundBytes {
  /// A named part of a file.
  struct Chunk {
    var name: [UInt8]
    var content: Range<Int>
  }

  /// The header of a chunk.
  enum ChunkForm {
    /// The name, and a size of four bytes, the lowest first. WAV has it.
    case riff
    /// The name, and a size of four bytes, the highest first. AIFF has it.
    case iff
    /// The name, and a size of eight bytes, the highest first. CAF has it.
    case caf
    /// A size with the header, of four or eight bytes, and the name. MP4 has it.
    case box
  }

  private let bytes: Data

  /// Reads bytes.
  init(_ bytes: Data) { self.bytes = bytes }

  /// Reads a file, whose parts are loaded when they are used.
  ///
  /// `mappedIfSafe` loads all of it on Linux.
  init(file: URL) throws { bytes = try Data(contentsOf: file, options: .alwaysMapped) }

  /// The number of bytes.
  var count: Int { bytes.count }

  /// Returns the bytes in a range; nil if some lie beyond the end.
  func slice(_ place: Int, _ size: Int) -> Data? {
    guard place >= 0, size >= 0, size <= count, place <= count - size else { return nil }
    let start = bytes.startIndex + place
    return bytes[start..<start + size]
  }

  /// Returns a number of at most eight bytes, the highest first.
  func big(_ place: Int, _ size: Int) -> UInt64? {
    slice(place, size)?.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns a number of at most eight bytes, the lowest first.
  func little(_ place: Int, _ size: Int) -> UInt64? {
    slice(place, size)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns whether a text stands at a place.
  func has(_ text: String, at place: Int) -> Bool {
    slice(place, text.utf8.count)?.elementsEqual(text.utf8) ?? false
  }

  /// The most chunks of a part that are read. Real files have some dozens.
  private static let mostChunks = 4096

  /// Returns the chunks in a range. The size of one that was cut is what is there.
  func chunks(_ form: ChunkForm, in range: Range<Int>) -> [Chunk] {
    var chunks: [Chunk] = []
    var place = range.lowerBound
    while chunks.count < Self.mostChunks, let (name, header, size) = header(form, at: place) {
      guard header <= range.upperBound - place else { break }
      let start = place + header
      let end = start + min(size, range.upperBound - start)
      chunks.append(Chunk(name: name, content: start..<end))
      let padding = (form == .riff || form == .iff) && size % 2 == 1 ? 1 : 0
      place = min(end + padding, range.upperBound)
    }
    return chunks
  }

  /// Returns the name of a chunk, the bytes of its header and those of its content.
  private func header(_ form: ChunkForm, at place: Int) -> ([UInt8], header: Int, size: Int)? {
    let isBox = form == .box
    guard let name = slice(isBox ? place + 4 : place, 4).map(Array.init) else { return nil }
    let size =
      switch form {
      case .riff: little(place + 4, 4)
      case .iff: big(place + 4, 4)
      case .caf: big(place + 4, 8)
      case .box: big(place, 4)
      }
    guard let size else { return nil }
    switch (form, size) {
    // A size of 0 reaches to the end of the file.
    case (.box, 0): return (name, 8, Int.max)
    case (.box, 1): return big(place + 8, 8).flatMap { $0 < 16 ? nil : (name, 16, Int(clamping: $0 - 16)) }
    case (.box, _): return size < 8 ? nil : (name, 8, Int(size) - 8)
    case (.caf, _): return (name, 12, Int(clamping: size))
    default: return (name, 8, Int(size))
    }
  }
}

extension [SoundBytes.Chunk] {
  /// The content of the first chunk with a name.
  subscript(_ name: String) -> Range<Int>? { first { $0.name.elementsEqual(name.utf8) }?.content }
}
