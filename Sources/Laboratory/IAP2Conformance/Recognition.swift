// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Transport

/// The first impression of a peer, before any check: a wrong role, address or speed is not a defect of the peer.
public enum Recognition: Sendable, Equatable {
  /// The peer takes part as the other side.
  case peer
  /// The peer plays the probe's own side.
  case sameSide
  /// The peer sends bytes, but no detect sequence and no packet; with the first of them.
  case otherProtocol([UInt8])
  /// The peer sends nothing; with the time limit in milliseconds.
  case silent(milliseconds: Int)
  /// The peer closes the transport before it sends anything.
  case closed
}

extension Suite {
  /// Connects to the peer once and finds out whether it is one that the suite can check. It takes longer than a moment
  /// only if the peer is none.
  ///
  /// - Returns: nil if the peer does not connect, or after a cancellation.
  /// - Throws: the error of the connection.
  public func recognize(_ setting: Setting) async throws(TransportError) -> Recognition? {
    let transport: any ByteTransport
    switch await Self.connect(setting) {
    case .transport(let opened): transport = opened
    case .error(let error): throw error
    case .failed: return nil
    }
    let probe = Probe(side: subject.peer, setting: setting, transport: transport) { .failed("not needed") }
    return await withTaskGroup(of: Recognition?.self) { group in
      group.addTask {
        await probe.pump()
        return nil
      }
      group.addTask {
        if setting.keepsTransport { await probe.beginAnew() }
        return await probe.recognize()
      }
      var result: Recognition?
      while result == nil, !Task.isCancelled, let next = await group.next() { result = next }
      await probe.leave()
      group.cancelAll()
      return result
    }
  }
}

extension Probe {
  /// The number of bytes of an unknown protocol that are kept.
  private static let shownByteCount = 16

  fileprivate func recognize() async -> Recognition {
    let limit = clock.now.adding(milliseconds: timeouts.begin)
    var noise: [UInt8] = []
    if side == .accessory {
      while clock.now < limit, !isFinished {
        await send(LinkScanner.detect)
        let units = await watch(min(1000, timeouts.begin), until: Self.isPartOfLink)
        if units.last.map({ Self.isPartOfLink($0) }) ?? false { return await recognizePhone(units) }
        noise += Self.noise(units)
      }
    } else {
      let units = await watch(timeouts.begin, until: Self.isPartOfLink)
      if units.last.map({ Self.isPartOfLink($0) }) ?? false { return .peer }
      noise = Self.noise(units)
      // A phone waits for this.
      await send(LinkScanner.detect)
      if await watch(1000, until: { $0.unit == .detect }).last?.unit == .detect { return .sameSide }
    }
    guard noise.isEmpty else { return .otherProtocol(Array(noise.prefix(Self.shownByteCount))) }
    return isFinished ? .closed : .silent(milliseconds: timeouts.begin)
  }

  /// As the accessory, distinguishes a phone from a head unit: after detection only a head unit sends a SYN.
  private func recognizePhone(_ units: [Observation]) async -> Recognition {
    func isOffer(_ observation: Observation) -> Bool {
      observation.packet.map { $0.isSynchronization && !$0.isAnswer } ?? false
    }
    if units.contains(where: isOffer) { return .sameSide }
    await send(Packet(.synchronize, sequence: sequence, payload: Probe.usual.bytes).bytes)
    let answers = await watch(timeouts.answer) { $0.packet?.isSynchronization ?? false }
    return answers.contains(where: isOffer) ? .sameSide : .peer
  }

  private static func isPartOfLink(_ observation: Observation) -> Bool {
    observation.unit == .detect || observation.packet != nil
  }

  private static func noise(_ units: [Observation]) -> [UInt8] {
    units.flatMap { if case .noise(let bytes) = $0.unit { bytes } else { [UInt8]() } }
  }

  /// Returns the units received within a time, up to the first that matches.
  private func watch(_ milliseconds: Int, until match: (Observation) -> Bool) async -> [Observation] {
    let deadline = clock.now.adding(milliseconds: milliseconds)
    var observations: [Observation] = []
    while let observation = await next(until: deadline) {
      observations.append(observation)
      if match(observation) { break }
    }
    return observations
  }
}
