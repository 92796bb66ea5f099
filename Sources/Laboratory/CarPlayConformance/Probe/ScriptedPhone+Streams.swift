// swift-iap2 · Apache-2.0

import Basics
import CarPlayAnalysis
import CarPlaySession
import Cryptography
import IAP2Conformance

/// A stream of a scripted phone.
struct ProbeStream {
  let type: StreamType
  var asked: StreamBody
  var answer: StreamBody?
  var format: AudioFormat?
  var wasConnected = false
  var screen: ScreenSealer?
  var sound: AudioSealer?
  var microphone: AudioOpener?
  var buffered: BufferedAudioSealer?
  var data: (opener: FrameOpener, sealer: FrameSealer, reader: DataPackageReader)?
  /// The number of the next packet of sound, and its time in samples.
  var sequence: UInt16 = 0
  var timestamp: UInt32 = 0
}

extension StreamType {
  /// The sockets of a stream.
  var sockets: [SessionSocket] { [.stream(self)] + (family == .audio ? [.streamControl(self)] : []) }
}

extension ScriptedPhone {
  /// The size of the main display; a common one if `/info` has none.
  var displaySize: (width: Int, height: Int) {
    let display = display(.screen)
    return (display?.width ?? 800, display?.height ?? 480)
  }

  /// The pictures for the main display.
  var pictures: SamplePicture { SamplePicture(width: displaySize.width, height: displaySize.height) }

  /// Returns the first display of a type; nil if `/info` has none.
  func display(_ type: StreamType) -> DisplayInfo? {
    info?.displays?.first { ($0.type ?? StreamType.screen.rawValue) == type.rawValue }
  }

  /// Returns the formats that `/info` offers for sound of a type, with the kind of sound of each.
  func formats(of type: StreamType, inputs: Bool = false) -> [(format: AudioFormat, kind: String?)] {
    (info?.audioFormats ?? []).filter { $0.type == type.rawValue }.flatMap { offer in
      AudioFormat.formats(in: inputs ? offer.inputs : offer.outputs).map { ($0, offer.kind) }
    }
  }

  // MARK: Set-up

  /// Returns the body of a stream as a phone sends it, with the sockets of sound bound.
  func body(
    of type: StreamType, _ format: AudioFormat? = nil, kind: String? = nil, wantsMicrophone: Bool = false
  ) async -> StreamBody {
    var body = StreamBody(type)
    let id = UInt64(bigEndianBytes: peer.random(8))
    switch type.family {
    case .screen:
      body.connectionID = id
      body.uuid = display(type)?.uuid
      body.latencyMilliseconds = 75
    case .audio:
      body.connectionID = id
      body.audioFormat = format
      body.audioType = kind
      body.audioLatencyMilliseconds = 150
      body.framesPerPacket = 352
      body.controlPort = await bind(.streamControl(type))
      let port = await bind(.stream(type))
      if wantsMicrophone { (body.wantsInput, body.dataPort) = (true, port) }
    case .buffered:
      body.connectionID = id
      body.sharedKey = peer.random(32)
      body.audioFormat = format
      body.values.merge(["ct": 4, "spf": 1024, "isMedia": true]) { own, _ in own }
    case .data:
      body.seed = id
      body.values.merge([
        "clientTypeUUID": "E9459FD0-BCAD-4C45-820F-1E72447EF2F2", "controlType": 2, "wantsDedicatedSocket": true,
      ]) { own, _ in own }
    }
    return body
  }

  /// Sends a SETUP with streams and returns the answer.
  func askStreams(_ bodies: [StreamBody]) async throws(Stop) -> RequestMessage {
    return try await ask(request("SETUP", list: .dictionary(StreamList(bodies).values)))
  }

  /// Sets a stream up, connects it, and makes its ciphers.
  func open(_ body: StreamBody) async throws(Stop) {
    guard let type = body.type else { throw .inconclusive("the stream has no type") }
    let answer = try await askStreams([body])
    guard answer.status == 200 else { throw .failed("SETUP of \(type.name) got status \(answer.status)") }
    guard let own = answers(in: answer).first(where: { $0.type == type }) else {
      throw .failed("the answer to SETUP leaves \(type.name) out")
    }
    try await join(body, own)
  }

  /// Returns the streams of an answer to SETUP.
  func answers(in message: RequestMessage) -> [StreamBody] {
    do throws(BodyProblem) { return try StreamList(bytes: message.body).streams ?? [] } catch { return [] }
  }

  /// Connects a stream that the head unit took, and makes its ciphers.
  func join(_ body: StreamBody, _ answer: StreamBody) async throws(Stop) {
    guard let type = body.type else { return }
    guard let port = answer.dataPort else { throw .failed("the answer to SETUP of \(type.name) has no dataPort") }
    var stream = ProbeStream(type: type, asked: body, answer: answer, format: body.audioFormat)
    let protection = secret.map { StreamProtection.verified($0) }
    switch (type.family, protection, body.connectionID ?? body.seed) {
    case (.screen, let protection?, let id?): stream.screen = ScreenSealer(protection, id: id)
    case (.audio, let protection?, let id?):
      stream.sound = AudioSealer(protection, id: id, from: .phone)
      if body.wantsInput { stream.microphone = AudioOpener(protection, id: id, from: .headUnit) }
    case (.buffered, _, _): stream.buffered = BufferedAudioSealer(key: Secret(body.sharedKey ?? []))
    case (.data, let protection?, let id?):
      guard let secret = protection.secret else { break }
      let keys = ChannelKeys.stream(secret, id: id)
      stream.data = (FrameOpener(key: keys.headUnit), FrameSealer(key: keys.phone), DataPackageReader())
    default: throw .inconclusive("the phone is not verified, so \(type.name) has no key")
    }
    streams[type] = stream
    guard type.family != .audio else { return }
    guard await connect(.stream(type), port: port) else {
      throw .failed("the head unit refuses the connection to dataPort \(port) of \(type.name)")
    }
    streams[type]?.wasConnected = true
  }

  /// Opens the main screen with its configuration and a key frame.
  func openScreen() async throws(Stop) {
    guard display(.screen)?.uuid != nil else { throw .notApplicable("/info has no display with a uuid") }
    try await open(await body(of: .screen))
    await send([pictures.configuration, pictures.frame(0, time: await time)])
  }

  /// Opens sound of a type in the first PCM format that is offered, or in the first one of all.
  func openSound(_ type: StreamType = .mainAudio, wantsMicrophone: Bool = false) async throws(Stop) {
    let offers = wantsMicrophone ? formats(of: type, inputs: true) : formats(of: type)
    guard let offer = offers.first(where: { $0.format.codec == .pcm }) ?? offers.first else {
      throw .notApplicable("/info offers no \(wantsMicrophone ? "microphone" : "sound") of type \(type.rawValue)")
    }
    try await open(await body(of: type, offer.format, kind: offer.kind, wantsMicrophone: wantsMicrophone))
  }

  /// Ends streams with TEARDOWN, and closes their sockets. Returns the status of the answer.
  func end(_ types: [StreamType]) async throws(Stop) -> Int {
    let entries = types.map { type in
      var entry = StreamBody(type)
      entry.values["streamConnectionID"] = streams[type]?.asked.values["streamConnectionID"]
      return entry
    }
    let answer = try await ask(request("TEARDOWN", list: .dictionary(StreamList(entries).values)))
    for type in types {
      streams[type] = nil
      await close(type.sockets)
    }
    return answer.status
  }

  // MARK: Content

  /// The time of pictures: the phone's time since its start.
  var time: UInt64 { get async { await line.now.ntp } }

  /// Sends messages of the main screen, or of another one.
  func send(_ messages: [ScreenMessage], on type: StreamType = .screen) async {
    for message in messages {
      record.take(message, of: type)
      guard let bytes = streams[type]?.screen?.seal(message) else { continue }
      await sendContent(bytes, on: .stream(type))
    }
  }

  /// Returns the next packet of sound of a stream: silence in PCM, or bytes without a meaning in another format.
  func nextSound(of type: StreamType, payloadType: UInt8? = nil) -> [UInt8] {
    guard var stream = streams[type], var sealer = stream.sound else { return [] }
    let format = stream.format
    let size = format?.codec == .pcm ? 352 * (format?.frameByteCount ?? 4) : 4
    let packet = AudioPacket(
      type: payloadType ?? UInt8(type.rawValue), sequence: stream.sequence, timestamp: stream.timestamp, source: 1,
      payload: [UInt8](repeating: 0, count: min(size, 1408)))
    stream.sequence &+= 1
    stream.timestamp &+= 352
    let bytes = sealer.seal(packet)
    stream.sound = sealer
    streams[type] = stream
    return bytes
  }

  /// Sends a datagram of sound.
  func sendSound(_ bytes: [UInt8], of type: StreamType) async {
    await sendDatagram(bytes, on: .stream(type), port: streams[type]?.answer?.dataPort ?? 0)
  }

  /// Sends packets of sound in their rhythm, 8 ms apart.
  func playSound(_ count: Int, of type: StreamType = .mainAudio) async {
    for _ in 0..<count {
      await sendSound(nextSound(of: type), of: type)
      await pass(.milliseconds(8))
    }
  }

  /// Sends packages of data.
  func send(_ packages: [DataPackage]) async {
    for package in packages {
      do throws(DataPackageProblem) {
        let plain = try package.bytes()
        for bytes in changer?.pieces(of: plain, "package of data") ?? [plain] {
          guard let sealed = streams[.data]?.data?.sealer.seal(bytes) else { continue }
          await line.act([.send(.stream(.data), sealed)])
        }
      } catch {}
    }
  }

  // MARK: Received

  /// Takes bytes of a stream.
  func receive(_ bytes: [UInt8], on socket: SessionSocket) async {
    switch socket {
    case .stream(.data): receiveData(bytes)
    case .stream(let type) where streams[type]?.microphone != nil:
      guard let packet = streams[type]?.microphone?.open(bytes) else {
        return record.judge.note(
          .sound, by: .headUnit,
          ValueProblem(
            type.name, is: "a packet of the microphone does not open",
            expected: "the head unit's key of streamConnectionID"))
      }
      // The microphone is the sound of a head unit.
      record.reach(.sound)
      keep(packet.payload, of: socket)
    default: keep(bytes, of: socket)
    }
  }

  /// Keeps the kind and the number of each package of the head unit on the data stream.
  private func receiveData(_ bytes: [UInt8]) {
    guard var data = streams[.data]?.data else { return }
    do {
      data.reader.add(try data.opener.open(bytes))
      while let package = try data.reader.next() {
        record.reach(.data)
        keep(
          (package.kind == .reply ? Array("rply".utf8) : Array("sync".utf8)) + package.sequence.bigEndianBytes,
          of: .stream(.data))
      }
    } catch {
      record.judge.note(
        .data, by: .headUnit, ValueProblem("data", is: "a package cannot be read", expected: "frames with packages"))
    }
    streams[.data]?.data = data
  }
}
