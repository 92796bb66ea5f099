// swift-iap2 · Apache-2.0

import IAP2

extension StopPoint {
  static let authenticationRequests: [StopPoint] = [
    StopPoint(
      "certificate-unanswered", .authentication, "The device requested the certificate, and the accessory sent none.",
      .accessory(.message(AuthenticationCertificate.id)), request: RequestAuthenticationCertificate.id,
      causes: [
        KnownCause(
          "chip-not-reachable", "The authentication chip does not answer on its bus.",
          "inferred: a busy chip does not acknowledge its address and must be polled again after 0.5 to 5 ms;"
            + " its address depends on a pin (Authentication.md#chip-busy: ADK, WIO, LIVI)", .low,
          "Read register 0 of the chip at the addresses 0x10 and 0x11."),
        KnownCause(
          "identification-wanted-first", "The accessory expects identification first.",
          "Authentication.md#order-both: both orders are seen; an implementation of one may not accept the other", .low,
          "Try the other order (`iap2 phone --order identification-first`).", when: { !$0.link.isIdentified }),
        KnownCause(
          "first-message-only",
          "The request shared a packet, and the accessory reads only the first message of a packet.",
          "Sessions.md#first-message-only: some cars do; an iPhone puts one in each packet (PRYER, PODBOX)", .medium,
          "Send each message in a packet of its own.",
          when: { $0.link.authentication?.sharesPacket(with: $0.link.identification) ?? false }),
      ]),
    StopPoint(
      "challenge-missing", .authentication, "The accessory sent its certificate, and the device sent no challenge.",
      .device(.message(RequestAuthenticationChallengeResponse.id)), request: AuthenticationCertificate.id,
      causes: [
        KnownCause(
          "certificate-unreadable", "The certificate is not what the device expects.",
          "Authentication.md#certificate: PKCS#7 with X.509, about 608 or 908 to 920 bytes (ADK, TELINK; FLIR, IVI);"
            + " no source shows that a phone ignores a different form", nil,
          "Look at its first bytes, 30 82, and its length.",
          when: { ($0.link.certificateByteCount ?? 0) < 500 || ($0.link.certificateByteCount ?? 0) > 1100 }),
        KnownCause(
          "phone-checks", "The phone checks the certificate, perhaps against its maker's servers.",
          "Sources.md#no-source: no source shows how long that takes", nil, "Wait, and try a phone with a network."),
        KnownCause(
          "device-role-incomplete", "The device's program stops after the certificate.",
          "inferred: a device that authenticates requests both, one after the other (Authentication.md#messages)", .low,
          "Send RequestAuthenticationChallengeResponse."),
      ]),
    StopPoint(
      "challenge-unanswered", .authentication, "The device sent a challenge, and the accessory did not sign it.",
      .accessory(.message(AuthenticationResponse.id)), request: RequestAuthenticationChallengeResponse.id,
      causes: [
        KnownCause(
          "challenge-length", "The challenge does not have the 32 bytes that this generation of accessories requires.",
          "FieldBehavior.md#f19: BRIDGE's accessory ends on any other length; chips of version 2 want 20",
          .medium,
          "Choose the length by the certificate: 20 bytes for RSA, 32 for P-256.",
          when: { $0.link.challengeByteCount != 32 }),
        KnownCause(
          "chip-slow", "The chip is still signing.",
          "Authentication.md#signing-time: about 0.44 s (2.0C, 3.0) or 1.65 s (2.0B) (LIVI)", .medium,
          "Compare the signing time of the chip with the rest of the capture.", when: { ($0.silence ?? 0) < 3 }),
        KnownCause(
          "chip-error", "The chip refused the challenge length or the order of register accesses.",
          "Authentication.md#register-error: errors 4 and 5 of its register 5 (ADK)", .medium,
          "Read register 5 of the chip."),
      ]),
    StopPoint(
      "verdict-missing", .authentication,
      "The accessory signed the challenge, and the device neither accepted nor rejected the signature.",
      .device(.message(AuthenticationSucceeded.id), .message(AuthenticationFailed.id)),
      request: AuthenticationResponse.id,
      causes: [
        challengeReturned,
        KnownCause(
          "signature-length", "The signature is neither 64 bytes (P-256) nor 128 (RSA).",
          "inferred from the two known forms (Authentication.md#response: ADK, CAT; FLIR, IVI)", .low,
          "Send r and s unchanged, without DER.",
          when: { ![64, 128].contains($0.link.responseByteCount ?? 0) }),
        KnownCause(
          "phone-checks", "The phone is still verifying.", "Sources.md#no-source: no source shows how long that takes",
          nil,
          "Wait; a rejection arrives as 0xAA04."),
        KnownCause(
          "device-role-incomplete", "The device's program does not verify.",
          "inferred: BRIDGE's device sends 0xAA05 for any signature (FieldBehavior.md#f18)", .low,
          "Send AuthenticationSucceeded."),
      ]),
  ]

  private static let challengeReturned = KnownCause(
    "challenge-returned",
    "The signature in 0xAA03 is the challenge itself: the accessory returned its bytes and signed nothing.",
    "Authentication.md#response: the response is a signature of the challenge", .high,
    "Sign the challenge with the coprocessor, and send the signature that it computes.",
    when: { $0.link.returnsChallenge })

  static let authenticationFailed = StopPoint(
    "authentication-failed", .authentication, "The device did not accept the accessory's signature or certificate.",
    .accessory(.reset), when: { $0.link.authentication?.step == .message(AuthenticationFailed.id) },
    turnOf: { $0.link.reset == nil ? nil : .accessory(.detect) },
    causes: [
      challengeReturned,
      KnownCause(
        "certificate-cut", "The certificate in 0xAA01 is cut: it ends before the length that its DER form says.",
        "Authentication.md#certificate: PKCS#7 in DER, which begins with its length", .high,
        "Send the whole certificate: read all of its bytes from the coprocessor.", when: { $0.link.isCertificateCut }),
      KnownCause(
        "signature-length", "The signature is empty or has another length than 64 bytes (P-256) or 128 (RSA).",
        "inferred from the two known forms (Authentication.md#response: ADK, CAT; FLIR, IVI)", .low,
        "Look why the coprocessor gave no signature, or send r and s of the signature unchanged, without DER.",
        when: { ![64, 128].contains($0.link.responseByteCount ?? 64) }),
      KnownCause(
        "no-apple-chip", "The accessory signs in software, or with a certificate that is not Apple's.",
        "Authentication.md#no-iphone-without-chip: without chip and key no accessory passes a real iPhone", .high,
        "Look for the issuer in the certificate of 0xAA01."),
      KnownCause(
        "other-authority", "The device trusts another authority, such as the test CA of a self-made device.",
        "Sources.md#ours: the phone of this project, `--authentication`", .high,
        "Try `iap2 phone --authentication any`."),
      KnownCause(
        "wrong-digest", "The signed bytes are not the challenge.",
        "Authentication.md#challenge: version 3 uses the 32 bytes as the digest, version 2 has 20"
          + " (CAT, SAIL, ADK)", .high,
        "Check the signature over the bytes of 0xAA02, not over their SHA-256.",
        when: { $0.link.responseByteCount != nil }),
      KnownCause(
        "key-mismatch", "Certificate and key do not belong together.", "Sources.md#inferred", .low,
        "Check the signature with the key in the certificate.", when: { $0.link.responseByteCount != nil }),
    ])
}
