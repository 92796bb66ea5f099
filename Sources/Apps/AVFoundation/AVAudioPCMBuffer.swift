// swift-iap2 · Apache-2.0

public import Foundation

/// A piece of sound.
open class AVAudioBuffer: NSObject, @unchecked Sendable {
  /// The format.
  public let format: AVAudioFormat

  init(_ format: AVAudioFormat) { self.format = format }
}

/// Samples in memory.
///
/// Invariant for `@unchecked Sendable`: one thread at a time uses the samples, as on iOS.
@safe open class AVAudioPCMBuffer: AVAudioBuffer, @unchecked Sendable {
  /// The room in samples of each channel.
  public let frameCapacity: AVAudioFrameCount
  /// The distance from a sample to the next one of its channel, in samples.
  public let stride: Int
  /// The first sample of each channel.
  private let channels: UnsafeMutablePointer<UnsafeMutableRawPointer>
  private var length: AVAudioFrameCount = 0

  /// Creates silence. It is nil if there is not enough memory.
  ///
  /// - Parameter frameCapacity: The room in samples of each channel.
  public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
    let (count, width) = (Int(format.channelCount), format.commonFormat.byteCount)
    guard count > 0, let samples = unsafe calloc(max(1, Int(frameCapacity)) * count, width) else { return nil }
    unsafe channels = .allocate(capacity: count)
    for channel in 0..<count {
      let place = format.isInterleaved ? channel * width : channel * Int(frameCapacity) * width
      unsafe (channels + channel).initialize(to: samples + place)
    }
    (self.frameCapacity, stride) = (frameCapacity, format.isInterleaved ? count : 1)
    super.init(format)
  }

  deinit {
    unsafe free(channels[0])
    unsafe channels.deallocate()
  }

  /// The number of valid samples of each channel, at most ``frameCapacity``.
  open var frameLength: AVAudioFrameCount {
    get { length }
    set { length = min(newValue, frameCapacity) }
  }

  /// The first sample of each channel; nil for another form.
  open var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? { unsafe pointers(.pcmFormatFloat32) }
  /// The first sample of each channel; nil for another form.
  open var int16ChannelData: UnsafePointer<UnsafeMutablePointer<Int16>>? { unsafe pointers(.pcmFormatInt16) }
  /// The first sample of each channel; nil for another form.
  open var int32ChannelData: UnsafePointer<UnsafeMutablePointer<Int32>>? { unsafe pointers(.pcmFormatInt32) }

  private func pointers<Sample>(_ form: AVAudioCommonFormat) -> UnsafePointer<UnsafeMutablePointer<Sample>>? {
    guard format.commonFormat == form else { return nil }
    return unsafe UnsafeRawPointer(channels).assumingMemoryBound(to: UnsafeMutablePointer<Sample>.self)
  }

  /// A sample, from -1 to 1.
  subscript(channel: Int, frame: Int) -> Double {
    get {
      let place = unsafe channels[channel] + frame * stride * format.commonFormat.byteCount
      return switch format.commonFormat {
      case .otherFormat, .pcmFormatFloat32: Double(unsafe place.load(as: Float.self))
      case .pcmFormatFloat64: unsafe place.load(as: Double.self)
      case .pcmFormatInt16: Double(unsafe place.load(as: Int16.self)) / 0x8000
      case .pcmFormatInt32: Double(unsafe place.load(as: Int32.self)) / 0x8000_0000
      }
    }
    set {
      let place = unsafe channels[channel] + frame * stride * format.commonFormat.byteCount
      switch format.commonFormat {
      case .otherFormat, .pcmFormatFloat32: unsafe place.storeBytes(of: Float(newValue), as: Float.self)
      case .pcmFormatFloat64: unsafe place.storeBytes(of: newValue, as: Double.self)
      case .pcmFormatInt16: unsafe place.storeBytes(of: Self.whole(newValue), as: Int16.self)
      case .pcmFormatInt32: unsafe place.storeBytes(of: Self.whole(newValue), as: Int32.self)
      }
    }
  }

  /// Returns a sample as a whole number. One that is too loud is cut.
  private static func whole<Sample: FixedWidthInteger>(_ value: Double) -> Sample {
    guard value.isFinite else { return 0 }
    return Sample(clamping: Int64((max(-1, min(value, 1)) * -Double(Sample.min)).rounded()))
  }
}

/// A time of sound.
open class AVAudioTime: NSObject, @unchecked Sendable {
  /// The time of this machine in nanoseconds.
  public let hostTime: UInt64
  /// Whether ``hostTime`` is known.
  public let isHostTimeValid: Bool
  /// The place in samples.
  public let sampleTime: AVAudioFramePosition
  /// The samples in a second; 0 without a place.
  public let sampleRate: Double
  /// Whether ``sampleTime`` is known.
  open var isSampleTimeValid: Bool { sampleRate > 0 }

  /// Creates a time of this machine.
  public init(hostTime: UInt64) {
    (self.hostTime, isHostTimeValid, sampleTime, sampleRate) = (hostTime, true, 0, 0)
  }

  /// Creates a place.
  public init(sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
    (hostTime, isHostTimeValid, self.sampleTime, self.sampleRate) = (0, false, sampleTime, sampleRate)
  }

  /// Creates a place that is reached at a time.
  public init(hostTime: UInt64, sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
    (self.hostTime, isHostTimeValid) = (hostTime, true)
    (self.sampleTime, self.sampleRate) = (sampleTime, sampleRate)
  }

  /// Returns a time of this machine for seconds.
  open class func hostTime(forSeconds seconds: TimeInterval) -> UInt64 { UInt64(max(0, min(seconds, 1e9)) * 1e9) }

  /// Returns the seconds of a time of this machine.
  open class func seconds(forHostTime hostTime: UInt64) -> TimeInterval { Double(hostTime) / 1e9 }
}
