// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import Cryptography
import IAP2
import IAP2Capture

/// The form of the first pieces of a connection whose beginning the capture may lack.
struct LateForm: Sendable {
  /// The pieces of the client and of the server that are complete frames by their lengths, and all others.
  var framed = (client: 0, server: 0)
  var others = 0
  /// The pieces whose frames were tried with the secrets.
  var tried = 0

  /// Whether most pieces of both ends have the form of frames. A piece of other bytes has it by chance in one of 65,536
  /// cases.
  var isLikely: Bool {
    framed.client > 0 && framed.server > 0 && framed.client + framed.server >= max(Self.minimumFramed, 4 * others)
  }

  private static let minimumFramed = 4
  /// The pieces that are looked at, and those of them that may have another form. A piece of TCP may end within a frame.
  static let maximumPieces = 64, maximumOthers = 8
  /// The pieces that are tried. Ours: each costs as many trials as there are secrets, keys and numbers.
  static let maximumTried = 4
}

// Sessions whose beginning the capture lacks.
extension CarPlaySessions {
  /// The most frames of a side before the first one that the capture has: those of an hour of /feedback and commands.
  private static let maximumEarlierFrames: UInt64 = 4096
  /// The most connections that are named as possible sessions.
  private static let maximumLateSessions = 8

  /// Finds the keys of a control connection whose pair-verify was not captured to its end.
  mutating func unlock(
    _ session: Int, _ bytes: [UInt8], followsGap: Bool, from side: SessionSide, at moment: CaptureMoment
  ) {
    let direction = sessions[session].control.directions[side]
    guard !isDecrypted, direction.isOpaque || direction.isClear && (followsGap || !direction.isWithinMessage),
      FrameSearch.hasForm(bytes)
    else { return }
    if direction.isClear {
      findSecret(session, bytes, from: side)
      guard let secret = sessions[session].pairing.secret else { return }
      // M4 was not captured: the frames show that it came.
      let keys = ChannelKeys.control(secret)
      guard opens(keys[side], bytes) else { return }
      for other in SessionSide.allCases {
        let rest = sessions[session].control.directions[other].encrypt(key: keys[other], &budget)
        sessions[session].control.directions[other].noteLostEnd()
        read(rest, of: session, isControl: true, from: other, at: moment)
      }
    } else if let keys = findSecret(session, bytes, from: side) {
      for other in SessionSide.allCases { sessions[session].control.directions[other].unlock(key: keys[other]) }
    }
  }

  /// Finds the secret of a session whose pair-verify has no key of the phone in the capture: that which opens a frame.
  @discardableResult
  private mutating func findSecret(_ session: Int, _ bytes: [UInt8], from side: SessionSide) -> ChannelKeys? {
    guard sessions[session].control.lacksMessages || sessions[session].control.directions[side].isOpaque else {
      return nil
    }
    if let known = sessions[session].pairing.secret.map(ChannelKeys.control) {
      // The event connection has led to it.
      guard sessions[session].control.directions[side].isOpaque, opens(known[side], bytes) else { return nil }
      sessions[session].story?.isSealed = false
      return known
    }
    if !sessions[session].pairing.lacksPhoneKey {
      // The key that names the secret may be damaged.
      guard sessions[session].triedFrames < LateForm.maximumTried else { return nil }
      sessions[session].triedFrames += 1
    }
    for secret in secrets.newest(.pairVerify) {
      guard budget.spend(SessionSecrets.derivationByteCount) else { return nil }
      let keys = ChannelKeys.control(secret.secret)
      guard opens(keys[side], bytes) else { continue }
      sessions[session].pairing.take(secret)
      copy?.add(secret)
      sessions[session].story?.isSealed = false
      return keys
    }
    return nil
  }

  private mutating func opens(_ key: Secret, _ bytes: [UInt8]) -> Bool {
    var search = FrameSearch(key: key, from: 0)
    return search.takeAligned(bytes, &budget) != nil
  }

  /// Looks whether a piece of a connection belongs to a session that began before the capture.
  mutating func takeLate(
    _ bytes: [UInt8], of number: Int, _ before: LateForm, isClient: Bool, at moment: CaptureMoment
  ) {
    var form = before
    if FrameSearch.hasForm(bytes) {
      if isClient { form.framed.client += 1 } else { form.framed.server += 1 }
      form.tried += 1
      if form.tried <= LateForm.maximumTried, adopt(number, bytes, isClient: isClient) { return }
    } else {
      form.others += 1
    }
    connections[number].role = .late(form)
    let count = form.framed.client + form.framed.server + form.others
    if form.others > LateForm.maximumOthers || count >= LateForm.maximumPieces { noteLate(number) }
  }

  /// Ends the look at a connection, and names it if it may be a session.
  mutating func noteLate(_ number: Int) {
    guard case .late(let form) = connections[number].role else { return }
    connections[number].role = .ignored
    let (client, server) = (connections[number].client, connections[number].server)
    let end = [server, client].first { end in
      discovery.headUnits[Array(end.dropLast(2))]?.port.map { $0.bigEndianBytes.elementsEqual(end.suffix(2)) } == true
    }
    guard !isDecrypted, !connections[number].hasBeginning, form.isLikely || end != nil,
      lateSessions.count < Self.maximumLateSessions
    else { return }
    let reason =
      end.map { "Bonjour names \(TCPEndpoints.text($0)) as the port of a head unit" }
      ?? "its packets have the form of sealed frames"
    lateSessions.append(
      .lateSession(
        ends: "\(TCPEndpoints.text(client)) and \(TCPEndpoints.text(server))", reason: reason, hasKeys: hasKeyLog))
  }

  /// Makes a connection a part of a session if a secret opens its first frame.
  mutating func adopt(_ number: Int, _ bytes: [UInt8], isClient: Bool) -> Bool {
    guard !isDecrypted, FrameSearch.hasForm(bytes) else { return false }
    for secret in secrets.newest(.pairVerify) {
      guard budget.spend(SessionSecrets.derivationByteCount) else { return false }
      for (keys, isControl) in [(ChannelKeys.control(secret.secret), true), (.events(secret.secret), false)] {
        for side in SessionSide.allCases {
          var search = FrameSearch(key: keys[side], from: 0, numberCount: Self.maximumEarlierFrames)
          guard let found = search.takeAligned(bytes, &budget) else { continue }
          // The phone connects.
          if (side == .phone) != isClient { connections[number].exchange() }
          let count = sessions.count
          guard
            let session = (isControl ? nil : unverifiedSession(number, secret)) ?? lateSession(number, secret),
            !isControl || sessions[session].isLate
          else { return false }
          let isNew = sessions.count > count
          var channel = Session.Channel()
          channel.lacksMessages = true
          channel.directions[side].search(FrameSearch(key: keys[side], from: found.number), isFirst: isNew)
          channel.directions[side.other].search(
            FrameSearch(key: keys[side.other], from: 0, numberCount: Self.maximumEarlierFrames), isFirst: false)
          if copy != nil { channel.keepPlain() }
          if isControl { sessions[session].control = channel } else { sessions[session].events = channel }
          connections[number].role = isControl ? .control(session) : .socket(session, .events)
          return true
        }
      }
    }
    return false
  }

  /// Returns the session of the sides of an event connection whose pair-verify the capture lacks, and gives it the
  /// secret; nil for none.
  private mutating func unverifiedSession(_ number: Int, _ secret: AgreedSecret) -> Int? {
    guard !sessions.contains(where: { $0.pairing.secret == secret.secret }),
      let session = sessions.lastIndex(where: {
        !$0.isOver && $0.pairing.secret == nil && $0.isBetween(connections[number])
      })
    else { return nil }
    sessions[session].pairing.take(secret)
    sessions[session].protection = .verified(secret.secret)
    copy?.add(secret)
    return session
  }

  /// Returns the session of a secret; nil if there are too many.
  private mutating func lateSession(_ number: Int, _ secret: AgreedSecret) -> Int? {
    if let known = sessions.lastIndex(where: { $0.pairing.secret == secret.secret }) { return known }
    guard sessions.count < Self.maximumSessions else { return nil }
    let connection = connections[number]
    var session = Session(connection)
    session.isLate = true
    session.pairing.take(secret)
    session.protection = .verified(secret.secret)
    sessions.append(session)
    recorder?.begin(sessions.count - 1)
    copy?.add(secret)
    if explains {
      beginStory(of: sessions.count - 1, connection)
      sessions[sessions.count - 1].story?.isLate = true
      sessions[sessions.count - 1].story?.noteVerified()
    }
    return sessions.count - 1
  }
}

extension ChannelKeys {
  fileprivate subscript(_ side: SessionSide) -> Secret { side == .phone ? phone : headUnit }
}
