// swift-iap2 · Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import Lab

@Suite struct LabSavingTests {
  private final class Page: LabClient {
    let files = Mutex<[String]>([])
    func wake() {}
    func offer(_ picture: LabPicture) {}
    func deliver(_ file: String) { files.withLock { $0.append(file) } }

    /// The names of the files that the page got.
    var names: [String] {
      files.withLock { files in
        files.compactMap { text in
          do {
            return try (JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])?["name"] as? String
          } catch { return nil }
        }
      }
    }
  }

  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1]

  @Test("Each page gets its own file, in the order of the requests")
  func two() {
    let hub = LabHub()
    let (one, other) = (Page(), Page())
    _ = (hub.add(one), hub.add(other))
    #expect(hub.awaitFile(.capture, for: one) && hub.awaitFile(.yaml, for: other))
    #expect(hub.awaitFile(.capture, for: other) && hub.awaitFile(.picture, for: one))
    hub.deliver("first.pcapng", .bytes([1]))
    hub.deliver("recorded.yaml", .text(""))
    hub.deliver("second.pcapng", .bytes([2]))
    hub.deliver("screen.png", .bytes(Self.png))
    #expect(one.names == ["first.pcapng", "screen.png"])
    #expect(other.names == ["recorded.yaml", "second.pcapng"])
    // No client waits for another file.
    hub.deliver("third.pcapng", .bytes([3]))
    #expect(one.names.count == 2 && other.names.count == 2)
  }

  @Test("A file that was not given delays no other kind, and that of a page that left goes to no other page")
  func missing() {
    let hub = LabHub()
    let (one, other) = (Page(), Page())
    _ = (hub.add(one), hub.add(other))
    #expect(hub.awaitFile(.picture, for: one) && hub.awaitFile(.html, for: one))
    hub.deliver("session.html", .text(""))
    #expect(one.names == ["session.html"])
    #expect(hub.awaitFile(.swift, for: one) && hub.awaitFile(.swift, for: other))
    hub.remove(one)
    hub.deliver("RecordedTests.swift", .text("of one"))
    #expect(other.names.isEmpty)
    hub.deliver("RecordedTests.swift", .text("of the other"))
    #expect(other.names == ["RecordedTests.swift"])
  }

  @Test("A page waits for eight files at most")
  func limit() {
    let hub = LabHub()
    let page = Page()
    #expect((0..<8).allSatisfy { _ in hub.awaitFile(.html, for: page) })
    #expect(!hub.awaitFile(.html, for: page))
    #expect(hub.awaitFile(.html, for: Page()))
  }
}

@Suite struct LabAddressTests {
  @Test("A server on all interfaces has an address for each, and that of this machine first")
  func hosts() {
    #expect(LabServer.hosts("127.0.0.1") == ["127.0.0.1"])
    #expect(LabServer.hosts("lab.example") == ["lab.example"])
    let all = LabServer.hosts("0.0.0.0")
    #expect(all.first == "127.0.0.1" && !all.contains("0.0.0.0") && Set(all).count == all.count)
    #expect(all.allSatisfy { !$0.contains(":") })
    let both = LabServer.hosts("::")
    #expect(both.first == "::1" && !both.contains("::") && !both.contains { $0.lowercased().hasPrefix("fe80") })
    let access = LabAccess(host: "0.0.0.0")
    for host in all + both {
      let name = host.contains(":") ? "[\(host)]:8080" : "\(host):8080"
      #expect(access.place(path: "/\(access.secret)/", host: name) != nil, "\(name)")
      #expect(access.isOwn(origin: "http://\(name)", host: name))
    }
  }

  @Test("Only the user can read the file that leads to the page, and it is removed")
  func redirect() throws {
    let redirect = LabRedirect()
    let path = try #require(redirect.write("http://127.0.0.1:8080/secret/"))
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("url=http://127.0.0.1:8080/secret/\""))
    redirect.remove()
    redirect.remove()
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
