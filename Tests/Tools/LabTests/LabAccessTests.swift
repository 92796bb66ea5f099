// swift-iap2 · Apache-2.0

import Testing

@testable import Lab

@Suite struct LabAccessTests {
  private let access = LabAccess(host: "127.0.0.1")

  @Test("Only a path with the secret has a place")
  func secret() {
    let host = "127.0.0.1:8080"
    #expect(access.place(path: "/\(access.secret)/", host: host) == .file("index.html"))
    #expect(access.place(path: "/\(access.secret)/lab.css", host: host) == .file("lab.css"))
    #expect(access.place(path: "/\(access.secret)/lab.css?x=1", host: host) == .file("lab.css"))
    #expect(access.place(path: "/\(access.secret)/socket", host: host) == .socket)
    for path in [
      "/", "", "/index.html", "/\(access.secret)", "/\(access.secret.dropLast())/", "/\(access.secret)a/",
      "/x/\(access.secret)/", "/?\(access.secret)/", "//socket",
    ] {
      #expect(access.place(path: path, host: host) == nil, "\(path)")
    }
    // The page serves only its own files, by name.
    #expect(access.place(path: "/\(access.secret)/../../etc/passwd", host: host) == .file("../../etc/passwd"))
    #expect(LabPage.files["../../etc/passwd"] == nil)
  }

  @Test("Each server has another secret of 130 bits")
  func differentSecrets() {
    let other = LabAccess(host: "127.0.0.1")
    #expect(access.secret != other.secret && access.secret.utf8.count == 26)
  }

  @Test(
    "A name that was not asked for is no host, because it can be rebound",
    arguments: [
      ("127.0.0.1:8080", true), ("localhost:8080", true), ("LOCALHOST", true), ("[::1]:8080", true),
      ("192.168.1.7:8080", true), ("evil.example:8080", false), ("127.0.0.1.evil.example", false), ("", false),
      ("localhost.evil.example:8080", false), ("[::1", false),
    ])
  func hosts(host: String, isOwn: Bool) {
    #expect((access.place(path: "/\(access.secret)/", host: host) != nil) == isOwn)
  }

  @Test("A name that the user gave is a host")
  func ownName() {
    let named = LabAccess(host: "lab.example")
    #expect(named.place(path: "/\(named.secret)/", host: "lab.example:80") != nil)
    #expect(named.place(path: "/\(named.secret)/", host: nil) == nil)
  }

  @Test("Only the own page opens the socket")
  func origins() {
    #expect(access.isOwn(origin: "http://127.0.0.1:8080", host: "127.0.0.1:8080"))
    #expect(!access.isOwn(origin: "http://evil.example", host: "127.0.0.1:8080"))
    #expect(!access.isOwn(origin: "http://127.0.0.1:8081", host: "127.0.0.1:8080"))
    #expect(!access.isOwn(origin: "null", host: "127.0.0.1:8080"))
    #expect(!access.isOwn(origin: nil, host: "127.0.0.1:8080"))
  }
}
