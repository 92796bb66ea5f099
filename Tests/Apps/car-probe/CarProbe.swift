// swift-iap2 · Apache-2.0

import AVFoundation
import CarPlay
import CarPlayHost
import Foundation
import MediaPlayer
import UIKit

/// A small app with the host inside, which tests start as a process of its own. The argument `plist` reads an
/// Info.plist and a file of entitlements, as a ported app does; others make a program without a host, see `Misfit`.
@main @MainActor enum CarProbe {
  static func main() {
    let mode = CommandLine.arguments.dropFirst().first ?? "app"
    if let misfit = Misfit(rawValue: mode) { misfit.run() }
    if mode == "plist" {
      SceneDelegateRegistry.register(ProbeScene.self) { ProbeScene() }
      CarApplication.run(
        infoPlist: URL(filePath: CommandLine.arguments[2]), entitlements: URL(filePath: CommandLine.arguments[3]))
    }
    CarApplication.run(CarApp([.audio], name: "Probe") { ProbeScene() })
  }
}

/// The scene delegate: a list whose rows end the process in different ways.
@MainActor
final class ProbeScene: NSObject, CPTemplateApplicationSceneDelegate {
  private var controller: CPInterfaceController?

  func templateApplicationScene(
    _ scene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController
  ) {
    controller = interfaceController
    let rows = Row.allCases.map { row in
      let item = CPListItem(text: row.rawValue, detailText: nil)
      item.handler = { [weak self] _, completion in
        self?.choose(row)
        if row != .hang { completion() }
      }
      return item
    }
    interfaceController.setRootTemplate(
      CPListTemplate(title: "Probe", sections: [CPListSection(items: rows)]), animated: false, completion: nil)
  }

  func templateApplicationScene(
    _ scene: CPTemplateApplicationScene, didDisconnectInterfaceController interfaceController: CPInterfaceController
  ) { controller = nil }

  private enum Row: String, CaseIterable {
    case albums = "Albums"
    case later = "Later"
    case timer = "Timer"
    case alert = "Alert"
    case print = "Print"
    case hang = "Hang"
    case trap = "Trap"
    case kill = "Kill"
    case exit = "Exit"
    case silent = "Silent"
    case exception = "Exception"
    case song = "Song"
    case sound = "Sound"
  }

  private var player: AVAudioPlayer?
  private var observer: (any NSObjectProtocol)?

  private func choose(_ row: Row) {
    switch row {
    case .albums: push("Albums")
    case .later: DispatchQueue.global().async { DispatchQueue.main.async { self.push("Later") } }
    case .timer:
      _ = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in
        MainActor.assumeIsolated { self.push("Rang") }
      }
    case .alert:
      controller?.presentTemplate(
        CPAlertTemplate(
          titleVariants: ["No network"], actions: [CPAlertAction(title: "OK", style: .cancel) { _ in }]),
        animated: false, completion: nil)
    case .print: Swift.print("a line of the app")
    case .hang: break
    case .trap: fatalError("the probe traps")
    case .kill: _ = Glibc.kill(getpid(), SIGKILL)
    case .exit: Glibc.exit(3)
    case .silent: while true { pause() }
    case .song: playSongs()
    case .sound: playSound()
    case .exception: controller?.pushTemplate(CPSearchTemplate(), animated: false, completion: nil)
    }
  }

  /// Plays a song; the key for the next one plays another.
  private func playSongs() {
    func play(_ title: String) {
      MPNowPlayingInfoCenter.default().nowPlayingInfo = [
        MPMediaItemPropertyTitle: title, MPMediaItemPropertyArtist: "Band", MPNowPlayingInfoPropertyPlaybackRate: 1.0,
      ]
    }
    play("Blue")
    MPRemoteCommandCenter.shared().nextTrackCommand.addTarget { _ in
      play("Green")
      return .success
    }
  }

  /// Plays the file that the environment names, without end, and plays on after an interruption.
  private func playSound() {
    let path = ProcessInfo.processInfo.environment["CAR_PROBE_SOUND"] ?? ""
    do {
      try AVAudioSession.sharedInstance().setCategory(.playback)
      try AVAudioSession.sharedInstance().setActive(true)
      let player = try AVAudioPlayer(contentsOf: URL(filePath: path))
      player.numberOfLoops = -1
      player.play()
      self.player = player
    } catch { print("no sound: \(error)") }
    observer = NotificationCenter.default.addObserver(
      forName: AVAudioSession.interruptionNotification, object: nil, queue: .main
    ) { [weak self] note in
      let type = note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
      MainActor.assumeIsolated {
        print(type == AVAudioSession.InterruptionType.began.rawValue ? "interrupted" : "plays on")
        if type == AVAudioSession.InterruptionType.ended.rawValue { self?.player?.play() }
      }
    }
  }

  private func push(_ title: String) {
    let item = CPListItem(text: "In \(title)", detailText: nil)
    controller?.pushTemplate(
      CPListTemplate(title: title, sections: [CPListSection(items: [item])]), animated: true, completion: nil)
  }
}
