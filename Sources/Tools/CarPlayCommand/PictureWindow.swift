// swift-iap2 · Apache-2.0

import CommandSupport
import Foundation

/// The window that shows a head unit's screen: a player that is installed.
enum PictureWindow {
  /// The player that reports the mouse and the keys of its window, through the script of ``WindowInput``. The outputs
  /// without a graphics card come first: in Xvfb mpv's own choice showed no picture.
  private static let mpv =
    "mpv --no-config --really-quiet --profile=low-latency --untimed --no-audio --no-cache --vo=x11,wlshm,gpu "
    + "--demuxer-lavf-format=h264 --title=CarPlay --no-input-default-bindings --no-osc --no-window-dragging"

  /// The other players in the order of preference. They do not wait for the time of a picture.
  private static let players = [
    (
      program: "ffplay",
      command:
        "ffplay -loglevel fatal -autoexit -window_title CarPlay -probesize 32 -fflags nobuffer -flags low_delay -framedrop "
        + "-framerate 60 -f h264 -i -"
    ),
    (
      program: "gst-launch-1.0",
      command: "gst-launch-1.0 -q fdsrc fd=0 ! h264parse ! avdec_h264 ! videoconvert ! autovideosink sync=false"
    ),
  ]

  /// The number of later pictures after which ffplay shows a picture. That of mpv was not measured.
  static let delay = 2

  /// Returns the shell command of the first player that is installed, and the input that it reports; nil for a player
  /// that reports none.
  static var command: (text: String, input: WindowInput?) {
    get throws {
      let environment = ProcessInfo.processInfo.environment
      guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else {
        throw CommandFailure(
          .unavailable,
          "--screen window needs a display: neither DISPLAY nor WAYLAND_DISPLAY is set; write a file, or "
            + "pictures with --screenshots")
      }
      if InstalledProgram(name: "mpv").isThere {
        let input = try WindowInput()
        return ("\(mpv) \(input.arguments) -", input)
      }
      guard let player = players.first(where: { InstalledProgram(name: $0.program).isThere }) else {
        throw CommandFailure(
          .unavailable,
          "--screen window needs a player: install mpv, whose window takes clicks, ffmpeg, which has ffplay, or "
            + "GStreamer (gst-launch-1.0)")
      }
      return (player.command, nil)
    }
  }
}
