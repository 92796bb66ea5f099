// swift-iap2 · Apache-2.0

import Cryptography
import Foundation
import Testing
import WireSupport

/// Vectors of Wycheproof, which has the edge cases in which implementations were wrong.
@Suite struct WycheproofTests {
  /// A vector: its members of the original as texts and numbers.
  private struct Vector {
    let members: [String: Any]

    var isValid: Bool { text("result") != "invalid" }
    func text(_ name: String) -> String { members[name] as? String ?? "" }
    func bytes(_ name: String) -> [UInt8] { hex(text(name)) }
    func has(_ flag: String) -> Bool { (members["flags"] as? [String] ?? []).contains(flag) }
    var place: Comment { "vector \(members["id"] as? Int ?? 0), \(members["flags"] as? [String] ?? [])" }
  }

  /// Reads a file of the folder; each has valid and other vectors.
  private func vectors(_ name: String) throws -> [Vector] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let text = try String(contentsOf: folder.appending(path: "Wycheproof/\(name).jsonl"), encoding: .utf8)
    let vectors = try text.split(separator: "\n").map { line in
      Vector(members: try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]))
    }
    #expect(vectors.count > 15)
    #expect(Set(vectors.map { $0.text("result") }).count > 1)
    return vectors
  }

  @Test func x25519() throws {
    for vector in try vectors("X25519") {
      let shared = vector.bytes("shared")
      let publicKey = vector.bytes("public")
      let secret = try X25519PrivateKey(vector.bytes("private").span).sharedSecret(with: publicKey.span)
      // A secret of zeros is refused, which Wycheproof allows.
      #expect(secret == (shared.allSatisfy { $0 == 0 } ? nil : Secret(shared)), vector.place)
    }
  }

  @Test func ed25519() throws {
    for vector in try vectors("Ed25519") {
      let (key, message, signature) = (vector.bytes("publicKey"), vector.bytes("msg"), vector.bytes("sig"))
      let isValid = Ed25519.isValid(signature.span, of: message.span, publicKey: key.span)
      #expect(isValid == vector.isValid, vector.place)
    }
  }

  @Test func ecdsaOnP256() throws {
    for vector in try vectors("ECDSA-P256") {
      let digest = HashFunction.sha256.hash(vector.bytes("msg"))
      let (der, signature) = (vector.bytes("publicKeyDer"), vector.bytes("sig"))
      let isValid = try P256PublicKey(der: der.span).isValid(signature.span, digest: digest.span)
      #expect(isValid == vector.isValid, vector.place)
    }
  }

  @Test func chaCha20Poly1305() throws {
    for vector in try vectors("ChaCha20-Poly1305") {
      let nonceBytes = vector.bytes("iv")
      guard let nonce = ChaCha20Poly1305.Nonce(nonceBytes.span) else {
        #expect(vector.has("InvalidNonceSize"), vector.place)
        continue
      }
      let key = try ChaCha20Poly1305(Secret(vector.bytes("key")))
      let (header, text, sealed) = (vector.bytes("aad"), vector.bytes("msg"), vector.bytes("ct") + vector.bytes("tag"))
      var opened = sealed
      var span = opened.mutableSpan
      let isRight = key.open(&span, in: 0..<text.count, nonce: nonce, authenticating: header.span)
      #expect(isRight == vector.isValid, vector.place)
      guard isRight else { continue }
      #expect(opened.prefix(text.count) == text[...], vector.place)
      var made = text + [UInt8](repeating: 0, count: ChaCha20Poly1305.tagByteCount)
      var target = made.mutableSpan
      key.seal(&target, in: 0..<text.count, nonce: nonce, authenticating: header.span)
      #expect(made == sealed, vector.place)
    }
  }

  @Test(arguments: [(HashFunction.sha256, "HKDF-SHA256"), (.sha512, "HKDF-SHA512")])
  func hkdf(function: HashFunction, name: String) throws {
    for vector in try vectors(name) {
      let (secret, salt, info) = (vector.bytes("ikm"), vector.bytes("salt"), vector.bytes("info"))
      let size = try #require(vector.members["size"] as? Int)
      do throws(CryptographyError) {
        let derived = try HKDF.derive(
          function, secret: secret.span, salt: salt.span, info: info.span, byteCount: size)
        #expect(derived.bytes == vector.bytes("okm") && vector.isValid, vector.place)
      } catch {
        #expect(!vector.isValid && vector.has("SizeTooLarge"), vector.place)
      }
    }
  }
}
