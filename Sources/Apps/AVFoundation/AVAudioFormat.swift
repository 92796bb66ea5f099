// swift-iap2 · Apache-2.0

public import Foundation

/// A number of channels.
public typealias AVAudioChannelCount = UInt32
/// A number of samples of each channel.
public typealias AVAudioFrameCount = UInt32
/// A place in samples of each channel.
public typealias AVAudioFramePosition = Int64
/// The number of an input or output of a node.
public typealias AVAudioNodeBus = Int
/// A number of packets; of PCM, of samples of each channel.
public typealias AVAudioPacketCount = UInt32

/// A form of samples.
public enum AVAudioCommonFormat: UInt, Sendable {
  /// Another form. No format has it here.
  case otherFormat = 0
  /// 32 bits with a fraction, from -1 to 1. It is the form of nodes.
  case pcmFormatFloat32 = 1
  /// 64 bits with a fraction, from -1 to 1.
  case pcmFormatFloat64 = 2
  /// 16 bits with a sign.
  case pcmFormatInt16 = 3
  /// 32 bits with a sign.
  case pcmFormatInt32 = 4

  /// The size of a sample in bytes.
  var byteCount: Int {
    switch self {
    case .otherFormat, .pcmFormatFloat32, .pcmFormatInt32: 4
    case .pcmFormatFloat64: 8
    case .pcmFormatInt16: 2
    }
  }
}

/// A format of PCM.
open class AVAudioFormat: NSObject, @unchecked Sendable {
  /// The form of the samples.
  public let commonFormat: AVAudioCommonFormat
  /// The samples of each channel in a second.
  public let sampleRate: Double
  /// The number of channels.
  public let channelCount: AVAudioChannelCount
  /// Whether the samples of all channels are in one row.
  public let isInterleaved: Bool

  /// Whether the format is that of nodes: `pcmFormatFloat32`, each channel for itself.
  open var isStandard: Bool { commonFormat == .pcmFormatFloat32 && !isInterleaved }

  private init(values: (AVAudioCommonFormat, Double, AVAudioChannelCount, Bool)) {
    (commonFormat, sampleRate, channelCount, isInterleaved) = values
    super.init()
  }

  /// Creates a format of nodes. It is nil for more than two channels.
  public convenience init?(standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount) {
    self.init(commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, channels: channels, interleaved: false)
  }

  /// Creates a format. It is nil for more than two channels, and without a rate or a channel.
  public convenience init?(
    commonFormat format: AVAudioCommonFormat, sampleRate: Double, channels: AVAudioChannelCount, interleaved: Bool
  ) {
    guard format != .otherFormat, sampleRate > 0, sampleRate < 1e6, (1...2).contains(channels) else { return nil }
    self.init(values: (format, sampleRate, channels, interleaved))
  }

  /// The format of a microphone that the app may not use.
  static let none = AVAudioFormat(values: (.pcmFormatFloat32, 0, 0, false))

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? AVAudioFormat else { return false }
    return (commonFormat, sampleRate, channelCount) == (other.commonFormat, other.sampleRate, other.channelCount)
      && isInterleaved == other.isInterleaved
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(commonFormat)
    hasher.combine(sampleRate)
    hasher.combine(channelCount)
    hasher.combine(isInterleaved)
    return hasher.finalize()
  }

  /// The channels, the rate and the form.
  open override var description: String {
    let form =
      switch commonFormat {
      case .otherFormat: "other"
      case .pcmFormatFloat32: "Float32"
      case .pcmFormatFloat64: "Float64"
      case .pcmFormatInt16: "Int16"
      case .pcmFormatInt32: "Int32"
      }
    return "<AVAudioFormat: \(channelCount) ch, \(Int(sampleRate)) Hz, \(form)\(isInterleaved ? ", interleaved" : "")>"
  }
}
