// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// The completions, as bash asks for them.
@Suite(.ownTurn) struct CompletionTests {
  /// Returns the words that bash offers for the last word of a command line.
  private func offers(_ words: String...) async throws -> [String] {
    let script = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).bash")
    defer { do { try FileManager.default.removeItem(at: script) } catch {} }
    let completions = try await Command.run("--generate-completion-script", "bash").output
    let program = Command.folder.appending(path: "iap2").path()
    try
      (completions + """

        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMPREPLY=()
        _iap2 iap2 "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" 2>/dev/null
        printf '%s\\n' "${COMPREPLY[@]}"
        """).write(to: script, atomically: true, encoding: .utf8)
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = [script.path(), program] + words
    process.currentDirectoryURL = Command.root
    process.standardOutput = output
    try process.run()
    let lines = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: lines, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test("Names of scenarios, profiles, cars, policies, messages, events and checks are known")
  func names() async throws {
    #expect(try await offers("run", "musi") == ["music"])
    #expect(try await offers("headunit", "--profile", "therm") == ["thermal-camera"])
    #expect(try await offers("car", "app", "--scenario", "first-c") == ["first-connect"])
    #expect(try await offers("car", "app", "--car", "hd,portr") == ["hd,portrait"])
    #expect(try await offers("run", "--policy", "charg") == ["charging"])
    #expect(try await offers("messages", "CarPlayStart") == ["CarPlayStartSession"])
    #expect(try await offers("events", "carPlayList") == ["carPlayListening"])
    #expect(try await offers("conformance", "--only", "pairing,CIN-03") == ["pairing,CIN-03"])
  }

  @Test("A scenario may be a file, below any folder")
  func files() async throws {
    #expect(try await offers("run", "Examples/RadioApp/song") == ["Examples/RadioApp/song.yaml"])
    #expect(try await offers("run", "Examples/Rad") == ["Examples/RadioApp/"])
    #expect(try await offers("decode", "captures/carplay/peer-phone.p") == ["captures/carplay/peer-phone.pcap"])
    #expect(try await offers("run", "nothing/that/is/there").isEmpty)
  }
}
