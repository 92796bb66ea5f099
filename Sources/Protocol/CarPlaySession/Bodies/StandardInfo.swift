// swift-iap2 · Apache-2.0

/// The settings of a head unit's screen, as an option states them.
public struct DisplaySettings: Sendable, Hashable {
  /// The size in pixels.
  public var width, height: Int
  /// The number of pictures per second.
  public var frameRate: Int
  /// The size in millimeters.
  public var physicalWidth, physicalHeight: Int

  /// The longest side in pixels. A picture of 4096 x 2304 pixels is the largest of H.264's level 5.2.
  public static let maximumSide = 4096

  /// Creates settings. Without a size in millimeters, a pixel has 0.2 mm, as in usual screens of cars.
  public init(width: Int, height: Int, frameRate: Int = 60, physicalWidth: Int? = nil, physicalHeight: Int? = nil) {
    (self.width, self.height, self.frameRate) = (width, height, frameRate)
    self.physicalWidth = physicalWidth ?? width / 5
    self.physicalHeight = physicalHeight ?? height / 5
  }
}

extension SessionInfo {
  /// Returns the answer of a head unit with the keys that today's phones want (CarPlaySession.md#info-keys).
  ///
  /// - Parameters:
  ///   - generation: The generation.
  ///   - deviceID: The MAC address.
  ///   - displays: The screens; the second one is the instrument cluster.
  ///   - devices: The input devices.
  public static func standard(
    generation: Generation, deviceID: String, displays: [DisplaySettings], devices: [InputDevice]? = nil
  ) -> SessionInfo {
    var info = SessionInfo()
    var features = FeatureBits.minimum
    if !generation.offersPairing { features.subtract(.pairing) }
    info.deviceID = deviceID
    info.features = features.rawValue
    info.name = "CarPlay"
    info.model = "swift-iap2"
    info.manufacturer = "swift-iap2"
    info.sourceVersion = generation.sourceVersion
    info.values["protocolVersion"] = "1.0"
    info.values["statusFlags"] = 4
    info.values["bluetoothIDs"] = [.text(deviceID)]
    info.values["firmwareRevision"] = "1.0"
    info.values["hardwareRevision"] = "1.0"
    info.values["OSInfo"] = "Linux"
    info.values["keepAliveLowPower"] = true
    info.values["keepAliveSendStatsAsBody"] = true
    info.values["extendedFeatures"] = ["vocoderInfo", "enhancedRequestCarUI"]
    info.rightHandDrive = false
    info.nightMode = false
    info.limitedUI = false
    info.limitedUIElements = ["softKeyboard", "softPhoneKeypad", "nonMusicLists", "musicLists", "japanMaps"]
    var modes = ModeRequest([
      (.screen, .take(.niceToHave, take: .anytime, borrow: .anytime)),
      (.mainAudio, .take(.niceToHave, take: .anytime, borrow: .anytime)),
    ])
    modes.appStates = [.speech(.none), .phoneCall(false), .turnByTurn(false)]
    info.modes = modes
    info.displays = displays.enumerated().map { display($1, index: $0) }
    info.audioFormats = standardAudio
    info.values["mainBufferedInfo"] = [:]
    info.values["audioLatencies"] = .array(
      standardAudio.map { offer in
        var values: [String: PropertyValue] = ["inputLatencyMicros": 0, "outputLatencyMicros": 0]
        for key in ["type", "audioType"] { values[key] = offer.values[key] }
        return .dictionary(values)
      })
    info.inputDevices = devices ?? displays.first.map(standardDevices)
    info.oemIconVisible = true
    info.oemIconLabel = "Car"
    return info
  }

  /// Adds the formats of a codec to the offers of main and alternate audio, as a head unit does for wireless sessions
  /// (CarPlaySession.md#stream-use).
  ///
  /// - Parameters:
  ///   - codec: The codec.
  ///   - withMicrophone: Whether the head unit encodes its microphone in it, too.
  package mutating func offer(_ codec: AudioFormat.Codec, withMicrophone: Bool) {
    let bits = AudioFormat.all.filter { $0.codec == codec }.reduce(0) { $0 | $1.rawValue }
    audioFormats = audioFormats?.map { offer in
      guard let type = offer.type, [.mainAudio, .alternateAudio].contains(StreamType(rawValue: type)) else {
        return offer
      }
      var offer = offer
      offer.values["audioOutputFormats"] = (offer.outputs | bits).propertyValue
      if withMicrophone, offer.inputs != 0 { offer.values["audioInputFormats"] = (offer.inputs | bits).propertyValue }
      return offer
    }
  }

  /// The kinds of main audio.
  public static let mainAudioKinds = ["compatibility", "default", "alert", "media", "telephony", "speechRecognition"]

  /// Returns a touch screen, a knob, media keys and telephony keys.
  private static func standardDevices(_ display: DisplaySettings) -> [InputDevice] {
    [
      .touchScreen(
        width: UInt16(clamping: display.width), height: UInt16(clamping: display.height), displayUUID: mainDisplay),
      .knob(displayUUID: mainDisplay), .mediaKeys(displayUUID: mainDisplay), .telephonyKeys(displayUUID: mainDisplay),
    ]
  }

  private static var standardAudio: [AudioFormatOffer] {
    func bits(_ channels: ClosedRange<Int>) -> UInt64 {
      AudioFormat.all.filter { $0.codec == .pcm && $0.bits == 16 && channels.contains($0.channels) }
        .reduce(0) { $0 | $1.rawValue }
    }
    let music = AudioFormat.all.filter { $0.codec == .aacLC }.reduce(0) { $0 | $1.rawValue }
    return mainAudioKinds.map { AudioFormatOffer(.mainAudio, $0, input: bits(1...1), output: bits(1...2)) } + [
      AudioFormatOffer(.alternateAudio, "compatibility", output: bits(1...2)),
      AudioFormatOffer(.alternateAudio, "default", output: bits(1...2)),
      AudioFormatOffer(.mainHighAudio, "media", output: music),
      AudioFormatOffer(.bufferedAudio, "media", output: music),
    ]
  }

  private static func display(_ settings: DisplaySettings, index: Int) -> DisplayInfo {
    var display = DisplayInfo()
    display.uuid = index == 0 ? mainDisplay : clusterDisplay
    display.type = (index == 0 ? StreamType.screen : .alternateScreen).rawValue
    display.width = settings.width
    display.height = settings.height
    display.physicalWidth = settings.physicalWidth
    display.physicalHeight = settings.physicalHeight
    display.maximumFrameRate = settings.frameRate
    display.features = index == 0 ? 0x0A : 0
    if index == 0 {
      display.primaryInputDevice = 1
      display.viewAreas = [
        ViewArea(width: settings.width, height: settings.height),
        // Encoders of H.264 want even sides.
        ViewArea(width: settings.width * 2 / 3 & ~1, height: settings.height),
      ]
      display.initialViewArea = 0
    } else {
      display.initialURL = "maps:/car/instrumentcluster/map"
    }
    return display
  }

  /// The name of the instrument cluster's screen of our head units.
  public static let clusterDisplay = "00000000-0000-4000-8000-0000000000A2"
  /// The name of the main screen of our head units.
  public static let mainDisplay = "00000000-0000-4000-8000-0000000000A1"
}
