// swift-iap2 · Apache-2.0

import IAP2

extension Check {
  static let unknown: [Check] = [
    Check(
      "UNK-01", .unknown, of: .both, "Unknown messages are ignored",
      "A control message with an unknown id is ignored, and the session continues.", .at("FieldBehavior.md#f24", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      try await probe.send(Message(0x0BAD, [(1, [2, 3])]))
      do throws(Stop) { try await probe.ready() } catch { throw .failed("it does not continue: \(error.reason)") }
    },
    Check(
      "UNK-02", .unknown, of: .both, "Unknown parameters are ignored",
      "A message with an unknown parameter is accepted.",
      .at("Sessions.md#unknown-parameters", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      try await probe.question { probe, message throws(Stop) in
        try await probe.send(Message(message.id, message.parameters + [(0x7F01, [1, 2, 3])]))
      }
    },
    Check(
      "UNK-03", .unknown, of: .both, "Unknown sessions are acknowledged",
      "Data on a session that was not agreed is acknowledged and dropped.", .at("FieldBehavior.md#f6", .medium)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      let packet = await probe.data([1, 2, 3], session: 99)
      await probe.send(packet)
      try await probe.awaitAcknowledgement(packet.sequence)
      try await probe.stillWorks()
    },
    Check(
      "UNK-04", .unknown, of: .both, "A file in the wrong range is cancelled",
      "A Setup whose file id belongs to the receiver is answered with Cancel.",
      .at("FileTransfer.md#wrong-range", .medium), .recommended
    ) { probe throws(Stop) in
      try await probe.session()
      guard let session = await probe.ours.sessionID(of: .fileTransfer) else {
        throw .notApplicable("the link has no file transfer")
      }
      // File identifiers from 128 to 255 belong to the device, from 0 to 127 to the accessory.
      let id: UInt8 = probe.side == .accessory ? 200 : 100
      let setup: [UInt8] = [id, 0x04] + Array(repeating: 0, count: 7) + [5] + [0, 2]
      await probe.send(await probe.data(setup, session: session))
      try await probe.expect("Cancel of file \(id)") { observation in
        observation.packet.flatMap { $0.session == session && $0.payload.starts(with: [id, 0x02]) ? () : nil }
      }
    },
    Check(
      "UNK-05", .unknown, of: .both, "Unknown control bits are ignored",
      "Reserved bits of the control byte are ignored: a data packet with one is accepted.",
      .at("Link.md#reserved-bits", .low, "inferred")
    ) { probe throws(Stop) in
      try await probe.linkUp()
      var packet = await probe.data(Probe.unknownMessage.bytes)
      packet.control.insert(LinkControl(rawValue: 0x01))
      await probe.send(packet)
      try await probe.awaitAcknowledgement(packet.sequence)
    },
  ]
}
