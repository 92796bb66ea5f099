// swift-iap2 · Apache-2.0

import AVFoundation
import Foundation
import Testing

/// Conversions of PCM.
@Suite struct ConverterTests {
  private func format(
    _ form: AVAudioCommonFormat, _ rate: Double, _ channels: UInt32 = 1, interleaved: Bool = false
  ) throws -> AVAudioFormat {
    try #require(AVAudioFormat(commonFormat: form, sampleRate: rate, channels: channels, interleaved: interleaved))
  }

  private func buffer(_ samples: [Float], rate: Double) throws -> AVAudioPCMBuffer {
    let buffer = try #require(
      AVAudioPCMBuffer(pcmFormat: try format(.pcmFormatFloat32, rate), frameCapacity: UInt32(samples.count)))
    buffer.frameLength = buffer.frameCapacity
    for (frame, sample) in samples.enumerated() { unsafe buffer.floatChannelData?[0][frame] = sample }
    return buffer
  }

  /// Returns the samples of a channel of 16 bits.
  private func samples(_ buffer: AVAudioPCMBuffer, _ channel: Int = 0) -> [Int16] {
    guard let channels = unsafe buffer.int16ChannelData else { return [] }
    return (0..<Int(buffer.frameLength)).map { unsafe channels[channel][$0 * buffer.stride] }
  }

  @Test func aBufferHasRoomForEachChannelAndNoMore() throws {
    let rows = try #require(
      AVAudioPCMBuffer(pcmFormat: try format(.pcmFormatInt32, 48_000, 2), frameCapacity: 10))
    let row = try #require(
      AVAudioPCMBuffer(pcmFormat: try format(.pcmFormatInt32, 48_000, 2, interleaved: true), frameCapacity: 10))
    rows.frameLength = 11
    #expect(rows.frameLength == 10 && rows.stride == 1 && row.stride == 2)
    let hasOthers = unsafe rows.floatChannelData != nil || rows.int16ChannelData != nil
    #expect(!hasOthers)
    let distances = [rows, row].map { unsafe $0.int32ChannelData.map { unsafe $0[1] - $0[0] } }
    #expect(distances == [10, 1])
    let isSilent = (0..<10).allSatisfy {
      unsafe rows.int32ChannelData?[0][$0] == 0 && rows.int32ChannelData?[1][$0] == 0
        && row.int32ChannelData?[1][$0 * 2] == 0
    }
    #expect(isSilent)
    #expect(AVAudioFormat(standardFormatWithSampleRate: 0, channels: 1) == nil)
    #expect(AVAudioFormat(standardFormatWithSampleRate: 8000, channels: 3) == nil)
    #expect(try format(.pcmFormatInt16, 8000) == format(.pcmFormatInt16, 8000))
    #expect(try format(.pcmFormatInt16, 8000) != format(.pcmFormatInt16, 8000, interleaved: true))
  }

  /// Apps send 16 kHz and 16 bits to services that recognize speech.
  @Test(arguments: [48_000.0, 44_100, 24_000, 8000])
  func aTonePassesInPieces(rate: Double) throws {
    let count = Int(rate)
    let tone = (0..<count).map { Float(0.5 * sin(2 * .pi * 440 * Double($0) / rate)) }
    let target = try format(.pcmFormatInt16, 16_000, interleaved: true)
    let converter = try #require(AVAudioConverter(from: try format(.pcmFormatFloat32, rate), to: target))
    var (place, heard, statuses) = (0, [Int16](), Set<AVAudioConverterOutputStatus>())
    while true {
      let output = try #require(AVAudioPCMBuffer(pcmFormat: target, frameCapacity: 333))
      var error: NSError?
      let status = unsafe converter.convert(to: output, error: &error) { _, status in
        guard place < count else {
          unsafe status.pointee = .endOfStream
          return nil
        }
        let next = tone[place..<min(place + 1000, count)]
        place += next.count
        return try? buffer(Array(next), rate: rate)
      }
      #expect(error == nil)
      statuses.insert(status)
      heard += samples(output)
      if status == .endOfStream { break }
    }
    #expect(statuses == [.haveData, .endOfStream] && (15_999...16_003).contains(heard.count))
    let wanted = (0..<15_990).map { 16_384 * sin(2 * .pi * 440 * Double($0) / 16_000) }
    let worst = zip(wanted, heard).map { abs($0 - Double($1)) }.max() ?? .infinity
    // The line between two samples at 8 kHz is below the curve by up to 1 − cos(π · 440 / 8000).
    #expect(worst <= (rate == 8000 ? 246 : 70))
  }

  @Test func aConversionWithoutRoomOrWithAnotherFormatFails() throws {
    let input = try buffer([0, 0.5, -0.5, 1, -1, 2], rate: 8000)
    let target = try format(.pcmFormatInt16, 8000, 2)
    let converter = try #require(AVAudioConverter(from: input.format, to: target))
    let output = try #require(AVAudioPCMBuffer(pcmFormat: target, frameCapacity: 6))
    try converter.convert(to: output, from: input)
    for side in 0..<2 { #expect(samples(output, side) == [0, 16_384, -16_384, 32_767, -32_768, 32_767]) }
    let small = try #require(AVAudioPCMBuffer(pcmFormat: target, frameCapacity: 5))
    #expect(throws: (any Error).self) { try converter.convert(to: small, from: input) }
    var error: NSError?
    let status = unsafe converter.convert(to: input, error: &error) { _, _ in nil }
    #expect(status == .error && error != nil)
    let dry = unsafe converter.convert(to: output, error: nil) { _, status in
      unsafe status.pointee = .noDataNow
      return nil
    }
    #expect(dry == .inputRanDry && output.frameLength == 0)
  }
}
