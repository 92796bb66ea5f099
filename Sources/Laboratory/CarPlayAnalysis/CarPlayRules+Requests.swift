// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2

// The rules of requests, pairing, encrypted channels and auth-setup.
extension CarPlayRule {
  static let requests: [CarPlayRule] = [
    .answered, .sequence, .form, .propertyList, .contentType, .accepted,
  ]

  package static let answered = CarPlayRule(
    "CRQ-01", nil, .connected, .required, "Each request is answered.", evidence: "CarPlaySession.md#request", .high,
    repair: "Answer it with its CSeq; with status 404 or 501 if it is not known.")
  package static let sequence = CarPlayRule(
    "CRQ-02", nil, .connected, .required, "An answer repeats the CSeq of its request.",
    evidence: "CarPlaySession.md#request", .high,
    repair: "Copy the header CSeq, and answer the requests in their order.")
  package static let form = CarPlayRule(
    "CRQ-03", nil, .connected, .required,
    "A message is a first line, headers with a colon, and a body of Content-Length bytes.",
    evidence: "CarPlaySession.md#request", .high,
    repair: """
      End each line with CR and LF, count the bytes of the body, and send a body of at most 1 MiB, the limit of our sides.
      """)
  static let propertyList = CarPlayRule(
    "CRQ-04", nil, .connected, .required,
    "The bodies of SETUP, /info and /command are binary property lists with a dictionary.",
    evidence: "CarPlaySession.md#property-lists", .high,
    repair: "Send bplist00 with a dictionary as its outermost value, not XML.")
  static let contentType = CarPlayRule(
    "CRQ-05", nil, .connected, .observed,
    """
    Content-Type names the form of a body: application/x-apple-binary-plist for a property list, application/pairing+tlv8 \
    or application/octet-stream for pairing, application/octet-stream for auth-setup.
    """,
    evidence: "CarPlaySession.md#property-lists: LIVI and PYATV send it; that a phone or a car needs it is not known",
    .low, repair: "Send the header with each body.")
  package static let accepted = CarPlayRule(
    "CRQ-06", .headUnit, .connected, .required,
    "The head unit answers the requests of an ordinary session with status 200, and those of pairing without an error.",
    evidence: "CarPlaySession.md#request-status", .medium,
    repair: "Look in the head unit's log for the reason of the refusal, and answer 200.")

  static let pairing: [CarPlayRule] = [
    .pairingList, .pairingOrder, .setupSalt, .setupProof, .setupIdentity, .verifyKey, .verifyIdentity, .verifySignature,
    .setupKept,
  ]

  package static let pairingList = CarPlayRule(
    "CPA-01", nil, .verified, .required, "The body of a message of pairing is TLV8 with a state of one byte.",
    evidence: "CarPlaySession.md#tlv8-items", .high,
    repair: "Split values of over 255 bytes into items of the same type, directly after each other.")
  package static let pairingOrder = CarPlayRule(
    "CPA-02", nil, .verified, .required,
    "The states of pairing follow each other: 1 to 6 in pair-setup, 1 to 4 in pair-verify.",
    evidence: "CarPlaySession.md#pair-setup-order", .high,
    repair: "Answer state 1 with 2, 3 with 4 and 5 with 6, and begin each procedure with 1.")
  static let setupSalt = CarPlayRule(
    "CPA-03", nil, .verified, .required,
    "Pair-setup exchanges a salt of 16 bytes and public keys of at most 384 bytes.",
    evidence: "CarPlaySession.md#srp", .high,
    repair: "Send the public key of SRP-6a with the group of 3072 bits; the head unit adds the salt.")
  package static let setupProof = CarPlayRule(
    "CPA-04", nil, .verified, .required, "Both sides prove the password with a hash of SHA-512, 64 bytes.",
    evidence: "CarPlaySession.md#srp-padding", .high,
    repair: "Compute the proof with SHA-512, and compare which numbers are padded.")
  package static let setupIdentity = CarPlayRule(
    "CPA-05", nil, .verified, .required, "Each side's sealed identity in pair-setup opens, and its signature is right.",
    evidence: "CarPlaySession.md#pair-setup-identity", .high,
    repair: "Compare salts, infos and nonces (PS-Msg05, PS-Msg06), and what is signed.")
  static let verifyKey = CarPlayRule(
    "CPA-06", nil, .verified, .required, "Each side sends a new X25519 key of 32 bytes in pair-verify.",
    evidence: "CarPlaySession.md#pair-verify-order", .high, repair: "Send 32 bytes as public key.")
  package static let verifyIdentity = CarPlayRule(
    "CPA-07", nil, .verified, .required,
    "The head unit adds its sealed identity to its key, and the phone answers with its own.",
    evidence: "CarPlaySession.md#pair-verify-order", .high,
    repair: "Seal identifier and signature with PV-Msg02 or PV-Msg03.")
  package static let verifySignature = CarPlayRule(
    "CPA-08", nil, .verified, .required,
    "The signature in pair-verify covers the own new key, the own identifier and the other side's new key.",
    evidence: "CarPlaySession.md#pair-verify-order", .high,
    repair: "Sign these three in this order with the long-term Ed25519 key of pair-setup.")

  static let setupKept = CarPlayRule(
    "CPA-09", .phone, .verified, .recommended, "Pair-setup asks for no transient pairing.",
    evidence: "CarPlaySession.md#pair-setup-order: inferred, and a rule of our head unit", .low,
    repair: "Leave out the flags.")

  static let channels: [CarPlayRule] = [.frames]

  package static let frames = CarPlayRule(
    "CCH-01", nil, .verified, .required,
    "After pair-verify each side seals its bytes in frames, whose nonce counts from 0.",
    evidence: "CarPlaySession.md#frame", .high,
    repair: "Compare key, nonce (little endian, for each direction) and the authenticated length.")

  static let authSetup: [CarPlayRule] = [.authRequest, .authAnswer, .authEvidence]

  static let authRequest = CarPlayRule(
    "CAS-01", .phone, .authenticated, .required, "auth-setup has the byte 1 and an X25519 key of 32 bytes.",
    evidence: "CarPlaySession.md#auth-setup-form", .high, repair: "Send 33 bytes.")
  static let authAnswer = CarPlayRule(
    "CAS-02", .headUnit, .authenticated, .required,
    "The answer to auth-setup has a key of 32 bytes, a certificate and a signature, each after its length.",
    evidence: "CarPlaySession.md#auth-setup-form", .high,
    repair: "Write both lengths as four bytes, the highest first, and nothing after the signature.")
  package static let authEvidence = CarPlayRule(
    "CAS-03", .headUnit, .authenticated, .required,
    "The certificate of auth-setup is DER, and its key made the signature.",
    evidence: "CarPlaySession.md#auth-setup-keys", .medium,
    repair:
      "Send the certificate as the coprocessor gives it, and its signature over the SHA-256 of both public keys, the head unit's first, encrypted."
  )
}
