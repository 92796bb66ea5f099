// swift-iap2 · Apache-2.0

public import Foundation

/// Whether there is sound for a converter.
public enum AVAudioConverterInputStatus: Int, Sendable {
  /// There is sound.
  case haveData = 0
  /// There is none now.
  case noDataNow = 1
  /// There is no more.
  case endOfStream = 2
}

/// The result of a conversion.
public enum AVAudioConverterOutputStatus: Int, Sendable {
  /// The buffer is filled.
  case haveData = 0
  /// There was not enough sound to fill it.
  case inputRanDry = 1
  /// The sound is over.
  case endOfStream = 2
  /// The conversion failed.
  case error = 3
}

/// Gives sound to a converter: about the wanted number of samples of each channel.
public typealias AVAudioConverterInputBlock = (
  AVAudioPacketCount, UnsafeMutablePointer<AVAudioConverterInputStatus>
) -> AVAudioBuffer?

/// A converter of PCM. A sample at another rate lies on the line between two samples, without a filter.
open class AVAudioConverter: NSObject {
  /// The format of the sound.
  public let inputFormat: AVAudioFormat
  /// The wanted format.
  public let outputFormat: AVAudioFormat
  /// The sound of each channel of the output that is not converted yet.
  private var waiting: [[Double]]
  /// The place of the next sample in it.
  private var place = 0.0

  /// Creates a converter.
  public init?(from fromFormat: AVAudioFormat, to toFormat: AVAudioFormat) {
    guard fromFormat.sampleRate > 0, toFormat.sampleRate > 0 else { return nil }
    (inputFormat, outputFormat) = (fromFormat, toFormat)
    waiting = Array(repeating: [], count: Int(toFormat.channelCount))
  }

  /// Forgets the sound that is not converted.
  open func reset() {
    waiting = waiting.map { _ in [] }
    place = 0
  }

  /// Converts a buffer to another one of the same rate.
  ///
  /// - Throws: The rates differ, a buffer has another format, or the output has no room.
  open func convert(to outputBuffer: AVAudioPCMBuffer, from inputBuffer: AVAudioPCMBuffer) throws {
    guard inputFormat.sampleRate == outputFormat.sampleRate, inputBuffer.format == inputFormat,
      outputBuffer.format == outputFormat, outputBuffer.frameCapacity >= inputBuffer.frameLength
    else { throw Self.problem }
    outputBuffer.frameLength = inputBuffer.frameLength
    for channel in waiting.indices {
      let from = Self.source(of: channel, in: inputFormat)
      for frame in 0..<Int(inputBuffer.frameLength) { outputBuffer[channel, frame] = inputBuffer[from, frame] }
    }
  }

  /// Converts sound until a buffer is full, or until there is no more sound.
  ///
  /// - Parameters:
  ///   - outputBuffer: The buffer.
  ///   - outError: Gets the reason of the result `error`.
  ///   - inputBlock: Gives the sound.
  open func convert(
    to outputBuffer: AVAudioPCMBuffer, error outError: UnsafeMutablePointer<NSError?>?,
    withInputFrom inputBlock: AVAudioConverterInputBlock
  ) -> AVAudioConverterOutputStatus {
    func fail() -> AVAudioConverterOutputStatus {
      unsafe outError?.pointee = Self.problem
      return .error
    }
    guard outputBuffer.format == outputFormat else { return fail() }
    let capacity = Int(outputBuffer.frameCapacity)
    let step = inputFormat.sampleRate / outputFormat.sampleRate
    outputBuffer.frameLength = outputBuffer.frameCapacity
    var count = 0
    defer { outputBuffer.frameLength = AVAudioFrameCount(count) }
    var isOver = false
    while true {
      while count < capacity, hasNext(isLast: isOver) {
        for channel in waiting.indices { outputBuffer[channel, count] = next(of: channel) }
        (count, place) = (count + 1, place + step)
      }
      drop()
      if count == capacity { return .haveData }
      if isOver { return .endOfStream }
      var status = AVAudioConverterInputStatus.haveData
      let wanted = Double(capacity - count) * step + 1
      let input = unsafe inputBlock(AVAudioPacketCount(min(wanted, 1e9)), &status)
      switch status {
      case .noDataNow: return .inputRanDry
      case .endOfStream: isOver = true
      case .haveData:
        guard let input = input as? AVAudioPCMBuffer, input.frameLength > 0 else { return .inputRanDry }
        guard input.format == inputFormat else { return fail() }
        for channel in waiting.indices {
          let from = Self.source(of: channel, in: inputFormat)
          waiting[channel] += (0..<Int(input.frameLength)).map { input[from, $0] }
        }
      }
    }
  }

  /// Returns the channel of the input for one of the output. One channel is heard on both sides.
  private static func source(of channel: Int, in format: AVAudioFormat) -> Int {
    min(channel, Int(format.channelCount) - 1)
  }

  /// Returns whether the samples around the place have come.
  private func hasNext(isLast: Bool) -> Bool {
    let (index, count) = (Int(place), waiting.first?.count ?? 0)
    return index < count && (place == Double(index) || isLast || index + 1 < count)
  }

  /// Returns the sample of a channel at the place.
  private func next(of channel: Int) -> Double {
    let index = Int(place)
    let (left, right) = (waiting[channel][index], waiting[channel][min(index + 1, waiting[channel].count - 1)])
    return left + (right - left) * (place - Double(index))
  }

  /// Forgets the sound before the place.
  private func drop() {
    let count = min(Int(place), waiting.first?.count ?? 0)
    for channel in waiting.indices { waiting[channel].removeFirst(count) }
    place -= Double(count)
  }

  private static let problem = NSError(
    domain: Microphone.exceptionName, code: -2,
    userInfo: [NSLocalizedDescriptionKey: "The formats or the sizes of the buffers do not fit the converter."])
}
