-- swift-iap2 · Apache-2.0
-- A dissector of iAP2 for Wireshark, printed by `iap2 wireshark`; do not edit. More: tools/wireshark/README.md

local schema = {
  accessory = "accessory",
  device = "device",
  valid = "valid",
  invalid = "invalid",
  detect = "\255\085\002\000\238\016",
  header_byte_count = 9,
  synchronization_byte_count = 10,
  session_byte_count = 3,
  message_header_byte_count = 6,
  control_bits = { { name = "SYN", mask = 128 }, { name = "ACK", mask = 64 }, { name = "EAK", mask = 32 }, { name = "RST", mask = 16 }, { name = "SLP", mask = 8 } },
  session_types = { [0] = "control", [1] = "fileTransfer", [2] = "externalAccessory" },
  file_operations = { [0] = "data", [1] = "start", [2] = "cancel", [3] = "pause", [4] = "setup", [5] = "success", [6] = "failure", [64] = "lastData", [128] = "firstData", [192] = "onlyData" },
  messages = {
    [0x0000] = { name = "Ping", sender = "accessory", rows = {} },
    [0x0001] = { name = "UserNotification", sender = "accessory", rows = {} },
    [0x0004] = { name = "SendPingAccessory", sender = "accessory", rows = {} },
    [0x0005] = { name = "PingAccessory", sender = "accessory", rows = {} },
    [0x00B0] = { name = "StartOOBBTPairing", sender = "device", rows = {} },
    [0x00B1] = { name = "OOBBTPairingAccessoryInformation", sender = "accessory", rows = {} },
    [0x00B2] = { name = "OOBBTPairingLinkKeyInformation", sender = "device", rows = {} },
    [0x00B3] = { name = "OOBBTPairingCompletionInformation", sender = "accessory", rows = {} },
    [0x00B4] = { name = "StopOOBBTPairing", sender = "device", rows = {} },
    [0x0B00] = { name = "StartBluetoothPairing", sender = "device", rows = {
      { id = 0, name = "BluetoothTransportComponentIdentifier", field = "iap2.start_bluetooth_pairing.bluetooth_transport_component_identifier", shape = "u16" },
    } },
    [0x0B01] = { name = "BluetoothPairingAccessoryInformation", sender = "accessory", rows = {} },
    [0x0B02] = { name = "BluetoothPairingStatus", sender = "accessory", rows = {} },
    [0x0B03] = { name = "StopBluetoothPairing", sender = "device", rows = {
      { id = 0, name = "BluetoothTransportComponentIdentifier", field = "iap2.stop_bluetooth_pairing.bluetooth_transport_component_identifier", shape = "u16" },
      { id = 2, name = "Unknown2", field = "iap2.stop_bluetooth_pairing.unknown2", shape = "void" },
    } },
    [0x0D00] = { name = "StartRoadObjectDetection", sender = "device", rows = {} },
    [0x0D01] = { name = "RoadObjectDetectionUpdate", sender = "accessory", rows = {} },
    [0x0D02] = { name = "StopRoadObjectDetection", sender = "device", rows = {} },
    [0x10DA] = { name = "StartDestinationInformation", sender = "accessory", rows = {} },
    [0x10DB] = { name = "DestinationInformation", sender = "device", rows = {} },
    [0x10DC] = { name = "StopDestinationInformation", sender = "accessory", rows = {} },
    [0x10DD] = { name = "DestinationInformationStatus", sender = "accessory", rows = {} },
    [0x1D00] = { name = "StartIdentification", sender = "device", rows = {} },
    [0x1D01] = { name = "IdentificationInformation", sender = "accessory", rows = {
      { id = 0, name = "Name", field = "iap2.identification_information.name", shape = "utf8" },
      { id = 1, name = "ModelIdentifier", field = "iap2.identification_information.model_identifier", shape = "utf8" },
      { id = 2, name = "Manufacturer", field = "iap2.identification_information.manufacturer", shape = "utf8" },
      { id = 3, name = "SerialNumber", field = "iap2.identification_information.serial_number", shape = "utf8" },
      { id = 4, name = "FirmwareVersion", field = "iap2.identification_information.firmware_version", shape = "utf8" },
      { id = 5, name = "HardwareVersion", field = "iap2.identification_information.hardware_version", shape = "utf8" },
      { id = 6, name = "MessagesSentByAccessory", field = "iap2.identification_information.messages_sent_by_accessory", shape = "u16", packed = true, holds_message_ids = true },
      { id = 7, name = "MessagesReceivedFromDevice", field = "iap2.identification_information.messages_received_from_device", shape = "u16", packed = true, holds_message_ids = true },
      { id = 8, name = "PowerProvidingCapability", field = "iap2.identification_information.power_providing_capability", shape = "enum", names = { [0] = "None", [1] = "Reserved", [2] = "Advanced" } },
      { id = 9, name = "MaximumCurrentDrawnFromDevice", unit = "mA", field = "iap2.identification_information.maximum_current_drawn_from_device", shape = "u16" },
      { id = 10, name = "SupportedExternalAccessoryProtocol", field = "iap2.identification_information.supported_external_accessory_protocol", shape = "group", rows = {
        { id = 0, name = "ExternalAccessoryProtocolIdentifier", field = "iap2.identification_information.supported_external_accessory_protocol.external_accessory_protocol_identifier", shape = "u8" },
        { id = 1, name = "ExternalAccessoryProtocolName", field = "iap2.identification_information.supported_external_accessory_protocol.external_accessory_protocol_name", shape = "utf8" },
        { id = 2, name = "ExternalAccessoryProtocolMatchAction", field = "iap2.identification_information.supported_external_accessory_protocol.external_accessory_protocol_match_action", shape = "enum", names = { [0] = "NoAction", [1] = "OptionalAction", [2] = "NoAlert", [3] = "NoCommunicationProtocol" } },
        { id = 3, name = "NativeTransportComponentIdentifier", field = "iap2.identification_information.supported_external_accessory_protocol.native_transport_component_identifier", shape = "u16" },
        { id = 4, name = "ExternalAccessoryProtocolCarPlay", field = "iap2.identification_information.supported_external_accessory_protocol.external_accessory_protocol_car_play", shape = "void" },
      } },
      { id = 11, name = "AppMatchTeamID", field = "iap2.identification_information.app_match_team_id", shape = "utf8" },
      { id = 12, name = "CurrentLanguage", field = "iap2.identification_information.current_language", shape = "utf8" },
      { id = 13, name = "SupportedLanguage", field = "iap2.identification_information.supported_language", shape = "utf8" },
      { id = 14, name = "SerialTransportComponent", field = "iap2.identification_information.serial_transport_component", shape = "group", rows = {
        { id = 0, name = "TransportComponentIdentifier", field = "iap2.identification_information.serial_transport_component.transport_component_identifier", shape = "u16" },
        { id = 1, name = "TransportComponentName", field = "iap2.identification_information.serial_transport_component.transport_component_name", shape = "utf8" },
        { id = 2, name = "TransportSupportsiAP2Connection", field = "iap2.identification_information.serial_transport_component.transport_supports_iap2_connection", shape = "void" },
      } },
      { id = 15, name = "USBDeviceTransportComponent", field = "iap2.identification_information.usb_device_transport_component", shape = "group", rows = {
        { id = 0, name = "TransportComponentIdentifier", field = "iap2.identification_information.usb_device_transport_component.transport_component_identifier", shape = "u16" },
        { id = 1, name = "TransportComponentName", field = "iap2.identification_information.usb_device_transport_component.transport_component_name", shape = "utf8" },
        { id = 2, name = "TransportSupportsiAP2Connection", field = "iap2.identification_information.usb_device_transport_component.transport_supports_iap2_connection", shape = "void" },
        { id = 3, name = "USBDeviceSupportedAudioSampleRate", joins = true, field = "iap2.identification_information.usb_device_transport_component.usb_device_supported_audio_sample_rate", shape = "enum", names = { [0] = "8000", [1] = "11025", [2] = "12000", [3] = "16000", [4] = "22050", [5] = "24000", [6] = "32000", [7] = "44100", [8] = "48000" } },
      } },
      { id = 16, name = "USBHostTransportComponent", field = "iap2.identification_information.usb_host_transport_component", shape = "group", rows = {
        { id = 0, name = "TransportComponentIdentifier", field = "iap2.identification_information.usb_host_transport_component.transport_component_identifier", shape = "u16" },
        { id = 1, name = "TransportComponentName", field = "iap2.identification_information.usb_host_transport_component.transport_component_name", shape = "utf8" },
        { id = 2, name = "TransportSupportsiAP2Connection", field = "iap2.identification_information.usb_host_transport_component.transport_supports_iap2_connection", shape = "void" },
        { id = 3, name = "USBHostTransportCarPlayInterfaceNumber", field = "iap2.identification_information.usb_host_transport_component.usb_host_transport_car_play_interface_number", shape = "u8" },
        { id = 4, name = "TransportSupportsCarPlay", field = "iap2.identification_information.usb_host_transport_component.transport_supports_car_play", shape = "void" },
      } },
      { id = 17, name = "BluetoothTransportComponent", field = "iap2.identification_information.bluetooth_transport_component", shape = "group", rows = {
        { id = 0, name = "TransportComponentIdentifier", field = "iap2.identification_information.bluetooth_transport_component.transport_component_identifier", shape = "u16" },
        { id = 1, name = "TransportComponentName", field = "iap2.identification_information.bluetooth_transport_component.transport_component_name", shape = "utf8" },
        { id = 2, name = "TransportSupportsiAP2Connection", field = "iap2.identification_information.bluetooth_transport_component.transport_supports_iap2_connection", shape = "void" },
        { id = 3, name = "BluetoothTransportMediaAccessControlAddress", field = "iap2.identification_information.bluetooth_transport_component.bluetooth_transport_media_access_control_address", shape = "blob" },
        { id = 4, name = "Unknown4", field = "iap2.identification_information.bluetooth_transport_component.unknown4", shape = "utf8" },
        { id = 5, name = "Unknown5", field = "iap2.identification_information.bluetooth_transport_component.unknown5", shape = "void" },
      } },
      { id = 18, name = "iAP2HIDComponent", field = "iap2.identification_information.iap2_hid_component", shape = "group", rows = {
        { id = 0, name = "ComponentIdentifier", field = "iap2.identification_information.iap2_hid_component.component_identifier", shape = "u16" },
        { id = 1, name = "ComponentName", field = "iap2.identification_information.iap2_hid_component.component_name", shape = "utf8" },
        { id = 2, name = "HIDComponentFunction", field = "iap2.identification_information.iap2_hid_component.hid_component_function", shape = "enum", names = { [0] = "Keyboard", [1] = "MediaPlaybackRemote", [2] = "AssistiveTouchPointer", [3] = "Reserved", [4] = "GamepadFormFitting", [6] = "GamepadNonFormFitting", [7] = "AssistiveSwitchControl", [8] = "Headset", [10] = "BrailleDisplayKeyboard" } },
      } },
      { id = 20, name = "VehicleInformationComponent", field = "iap2.identification_information.vehicle_information_component", shape = "group", rows = {
        { id = 0, name = "ComponentIdentifier", field = "iap2.identification_information.vehicle_information_component.component_identifier", shape = "u16" },
        { id = 1, name = "ComponentName", field = "iap2.identification_information.vehicle_information_component.component_name", shape = "utf8" },
        { id = 2, name = "EngineType", joins = true, field = "iap2.identification_information.vehicle_information_component.engine_type", shape = "enum", names = { [0] = "Gasoline", [1] = "Diesel", [2] = "Electric", [3] = "CNG" } },
        { id = 6, name = "DisplayName", field = "iap2.identification_information.vehicle_information_component.display_name", shape = "utf8" },
        { id = 8, name = "MapsDisplayName", field = "iap2.identification_information.vehicle_information_component.maps_display_name", shape = "utf8" },
      } },
      { id = 21, name = "VehicleStatusComponent", field = "iap2.identification_information.vehicle_status_component", shape = "group", rows = {
        { id = 0, name = "ComponentIdentifier", field = "iap2.identification_information.vehicle_status_component.component_identifier", shape = "u16" },
        { id = 1, name = "ComponentName", field = "iap2.identification_information.vehicle_status_component.component_name", shape = "utf8" },
        { id = 3, name = "Range", field = "iap2.identification_information.vehicle_status_component.range", shape = "void" },
        { id = 4, name = "OutsideTemperature", field = "iap2.identification_information.vehicle_status_component.outside_temperature", shape = "void" },
        { id = 5, name = "RangeWarning", field = "iap2.identification_information.vehicle_status_component.range_warning", shape = "void" },
        { id = 6, name = "RangeWarning", field = "iap2.identification_information.vehicle_status_component.range_warning_6", shape = "void" },
      } },
      { id = 22, name = "LocationInformationComponent", field = "iap2.identification_information.location_information_component", shape = "group", rows = {
        { id = 0, name = "ComponentIdentifier", field = "iap2.identification_information.location_information_component.component_identifier", shape = "u16" },
        { id = 1, name = "ComponentName", field = "iap2.identification_information.location_information_component.component_name", shape = "utf8" },
        { id = 17, name = "GlobalPositioningSystemFixData", field = "iap2.identification_information.location_information_component.global_positioning_system_fix_data", shape = "void" },
        { id = 18, name = "RecommendedMinimumSpecificGPSTransitData", field = "iap2.identification_information.location_information_component.recommended_minimum_specific_gps_transit_data", shape = "void" },
        { id = 19, name = "GPSSatellitesInView", field = "iap2.identification_information.location_information_component.gps_satellites_in_view", shape = "void" },
        { id = 20, name = "VehicleSpeedData", field = "iap2.identification_information.location_information_component.vehicle_speed_data", shape = "void" },
        { id = 21, name = "VehicleGyroData", field = "iap2.identification_information.location_information_component.vehicle_gyro_data", shape = "void" },
        { id = 22, name = "VehicleAccelerometerData", field = "iap2.identification_information.location_information_component.vehicle_accelerometer_data", shape = "void" },
        { id = 23, name = "VehicleHeadingData", field = "iap2.identification_information.location_information_component.vehicle_heading_data", shape = "void" },
      } },
      { id = 23, name = "USBHostHIDComponent", field = "iap2.identification_information.usb_host_hid_component", shape = "group", rows = {
        { id = 0, name = "ComponentIdentifier", field = "iap2.identification_information.usb_host_hid_component.component_identifier", shape = "u16" },
        { id = 1, name = "ComponentName", field = "iap2.identification_information.usb_host_hid_component.component_name", shape = "utf8" },
        { id = 2, name = "HIDComponentFunction", field = "iap2.identification_information.usb_host_hid_component.hid_component_function", shape = "enum", names = { [0] = "Keyboard", [1] = "MediaPlaybackRemote", [2] = "AssistiveTouchPointer", [3] = "Reserved", [4] = "GamepadFormFitting", [6] = "GamepadNonFormFitting", [7] = "AssistiveSwitchControl", [8] = "Headset", [10] = "BrailleDisplayKeyboard" } },
        { id = 3, name = "USBHostTransportComponentIdentifier", field = "iap2.identification_information.usb_host_hid_component.usb_host_transport_component_identifier", shape = "u16" },
        { id = 4, name = "USBHostTransportInterfaceNumber", field = "iap2.identification_information.usb_host_hid_component.usb_host_transport_interface_number", shape = "u8" },
      } },
      { id = 24, name = "WirelessCarPlayTransportComponent", field = "iap2.identification_information.wireless_car_play_transport_component", shape = "group", rows = {
        { id = 0, name = "TransportComponentIdentifier", field = "iap2.identification_information.wireless_car_play_transport_component.transport_component_identifier", shape = "u16" },
        { id = 1, name = "TransportComponentName", field = "iap2.identification_information.wireless_car_play_transport_component.transport_component_name", shape = "utf8" },
        { id = 2, name = "TransportSupportsiAP2Connection", field = "iap2.identification_information.wireless_car_play_transport_component.transport_supports_iap2_connection", shape = "void" },
        { id = 3, name = "Unknown3", field = "iap2.identification_information.wireless_car_play_transport_component.unknown3", shape = "u16" },
        { id = 4, name = "TransportSupportsCarPlay", field = "iap2.identification_information.wireless_car_play_transport_component.transport_supports_car_play", shape = "void" },
        { id = 5, name = "TransportSupportsMutualAuthentication", field = "iap2.identification_information.wireless_car_play_transport_component.transport_supports_mutual_authentication", shape = "void" },
      } },
      { id = 29, name = "BluetoothHIDComponent", field = "iap2.identification_information.bluetooth_hid_component", shape = "group", rows = {
        { id = 0, name = "ComponentIdentifier", field = "iap2.identification_information.bluetooth_hid_component.component_identifier", shape = "u16" },
        { id = 1, name = "ComponentName", field = "iap2.identification_information.bluetooth_hid_component.component_name", shape = "utf8" },
        { id = 2, name = "HIDComponentFunction", field = "iap2.identification_information.bluetooth_hid_component.hid_component_function", shape = "enum", names = { [0] = "Keyboard", [1] = "MediaPlaybackRemote", [2] = "AssistiveTouchPointer", [3] = "Reserved", [4] = "GamepadFormFitting", [6] = "GamepadNonFormFitting", [7] = "AssistiveSwitchControl", [8] = "Headset", [10] = "BrailleDisplayKeyboard" } },
        { id = 3, name = "BluetoothTransportComponentIdentifier", field = "iap2.identification_information.bluetooth_hid_component.bluetooth_transport_component_identifier", shape = "u16" },
      } },
      { id = 30, name = "RouteGuidanceDisplayComponent", field = "iap2.identification_information.route_guidance_display_component", shape = "group", rows = {
        { id = 0, name = "ComponentIdentifier", field = "iap2.identification_information.route_guidance_display_component.component_identifier", shape = "u16" },
        { id = 1, name = "ComponentName", field = "iap2.identification_information.route_guidance_display_component.component_name", shape = "utf8" },
        { id = 2, name = "MaximumCurrentRoadNameLength", field = "iap2.identification_information.route_guidance_display_component.maximum_current_road_name_length", shape = "u16" },
        { id = 3, name = "MaximumDestinationNameLength", field = "iap2.identification_information.route_guidance_display_component.maximum_destination_name_length", shape = "u16" },
        { id = 4, name = "MaximumAfterManeuverRoadNameLength", field = "iap2.identification_information.route_guidance_display_component.maximum_after_maneuver_road_name_length", shape = "u16" },
        { id = 5, name = "MaximumManeuverDescriptionLength", field = "iap2.identification_information.route_guidance_display_component.maximum_maneuver_description_length", shape = "u16" },
        { id = 6, name = "MaximumGuidanceManeuverStorageCapacity", field = "iap2.identification_information.route_guidance_display_component.maximum_guidance_maneuver_storage_capacity", shape = "u16" },
        { id = 7, name = "MaximumLaneGuidanceDescriptionLength", field = "iap2.identification_information.route_guidance_display_component.maximum_lane_guidance_description_length", shape = "u16" },
        { id = 8, name = "MaximumLaneGuidanceStorageCapacity", field = "iap2.identification_information.route_guidance_display_component.maximum_lane_guidance_storage_capacity", shape = "u16" },
      } },
      { id = 34, name = "ProductPlanUID", field = "iap2.identification_information.product_plan_uid", shape = "utf8" },
    } },
    [0x1D02] = { name = "IdentificationAccepted", sender = "device", rows = {} },
    [0x1D03] = { name = "IdentificationRejected", sender = "device", rows = {
      { id = 0, name = "Name", field = "iap2.identification_rejected.name", shape = "void" },
      { id = 1, name = "ModelIdentifier", field = "iap2.identification_rejected.model_identifier", shape = "void" },
      { id = 2, name = "Manufacturer", field = "iap2.identification_rejected.manufacturer", shape = "void" },
      { id = 3, name = "SerialNumber", field = "iap2.identification_rejected.serial_number", shape = "void" },
      { id = 4, name = "FirmwareVersion", field = "iap2.identification_rejected.firmware_version", shape = "void" },
      { id = 5, name = "HardwareVersion", field = "iap2.identification_rejected.hardware_version", shape = "void" },
      { id = 6, name = "MessagesSentByAccessory", field = "iap2.identification_rejected.messages_sent_by_accessory", shape = "void", other = { field = "iap2.identification_rejected.messages_sent_by_accessory.array_of_u16", shape = "u16", packed = true, holds_message_ids = true } },
      { id = 7, name = "MessagesReceivedFromDevice", field = "iap2.identification_rejected.messages_received_from_device", shape = "void", other = { field = "iap2.identification_rejected.messages_received_from_device.array_of_u16", shape = "u16", packed = true, holds_message_ids = true } },
      { id = 8, name = "PowerProvidingCapability", field = "iap2.identification_rejected.power_providing_capability", shape = "void" },
      { id = 9, name = "MaximumCurrentDrawnFromDevice", field = "iap2.identification_rejected.maximum_current_drawn_from_device", shape = "void" },
      { id = 10, name = "SupportedExternalAccessoryProtocol", field = "iap2.identification_rejected.supported_external_accessory_protocol", shape = "void" },
      { id = 11, name = "AppMatchTeamID", field = "iap2.identification_rejected.app_match_team_id", shape = "void" },
      { id = 12, name = "CurrentLanguage", field = "iap2.identification_rejected.current_language", shape = "void" },
      { id = 13, name = "SupportedLanguage", field = "iap2.identification_rejected.supported_language", shape = "void" },
      { id = 14, name = "SerialTransportComponent", field = "iap2.identification_rejected.serial_transport_component", shape = "void" },
      { id = 15, name = "USBDeviceTransportComponent", field = "iap2.identification_rejected.usb_device_transport_component", shape = "void" },
      { id = 16, name = "USBHostTransportComponent", field = "iap2.identification_rejected.usb_host_transport_component", shape = "void" },
      { id = 17, name = "BluetoothTransportComponent", field = "iap2.identification_rejected.bluetooth_transport_component", shape = "void" },
      { id = 18, name = "iAP2HIDComponent", field = "iap2.identification_rejected.iap2_hid_component", shape = "void" },
      { id = 20, name = "VehicleInformationComponent", field = "iap2.identification_rejected.vehicle_information_component", shape = "void" },
      { id = 21, name = "VehicleStatusComponent", field = "iap2.identification_rejected.vehicle_status_component", shape = "void" },
      { id = 22, name = "LocationInformationComponent", field = "iap2.identification_rejected.location_information_component", shape = "void" },
      { id = 23, name = "USBHostHIDComponent", field = "iap2.identification_rejected.usb_host_hid_component", shape = "void" },
      { id = 24, name = "WirelessCarPlayTransportComponent", field = "iap2.identification_rejected.wireless_car_play_transport_component", shape = "void" },
      { id = 29, name = "BluetoothHIDComponent", field = "iap2.identification_rejected.bluetooth_hid_component", shape = "void" },
      { id = 30, name = "RouteGuidanceDisplayComponent", field = "iap2.identification_rejected.route_guidance_display_component", shape = "void" },
      { id = 34, name = "ProductPlanUID", field = "iap2.identification_rejected.product_plan_uid", shape = "void" },
    } },
    [0x1D05] = { name = "CancelIdentification", sender = "accessory", rows = {} },
    [0x1D06] = { name = "IdentificationInformationUpdate", sender = "accessory", rows = {
      { id = 0, name = "Name", field = "iap2.identification_information_update.name", shape = "utf8" },
      { id = 1, name = "ModelIdentifier", field = "iap2.identification_information_update.model_identifier", shape = "utf8" },
      { id = 2, name = "Manufacturer", field = "iap2.identification_information_update.manufacturer", shape = "utf8" },
      { id = 3, name = "SerialNumber", field = "iap2.identification_information_update.serial_number", shape = "utf8" },
      { id = 4, name = "FirmwareVersion", field = "iap2.identification_information_update.firmware_version", shape = "utf8" },
      { id = 5, name = "HardwareVersion", field = "iap2.identification_information_update.hardware_version", shape = "utf8" },
      { id = 6, name = "CurrentLanguage", field = "iap2.identification_information_update.current_language", shape = "utf8" },
      { id = 12, name = "CurrentLanguage", field = "iap2.identification_information_update.current_language_12", shape = "utf8" },
    } },
    [0x4154] = { name = "StartCallStateUpdates", sender = "accessory", rows = {
      { id = 0, name = "RemoteID", field = "iap2.start_call_state_updates.remote_id", shape = "void" },
      { id = 1, name = "DisplayName", field = "iap2.start_call_state_updates.display_name", shape = "void" },
      { id = 2, name = "Status", field = "iap2.start_call_state_updates.status", shape = "void" },
      { id = 3, name = "Direction", field = "iap2.start_call_state_updates.direction", shape = "void" },
      { id = 4, name = "CallUUID", field = "iap2.start_call_state_updates.call_uuid", shape = "void" },
      { id = 6, name = "AddressBookID", field = "iap2.start_call_state_updates.address_book_id", shape = "void" },
      { id = 7, name = "Label", field = "iap2.start_call_state_updates.label", shape = "void" },
      { id = 8, name = "Service", field = "iap2.start_call_state_updates.service", shape = "void" },
      { id = 9, name = "IsConferenced", field = "iap2.start_call_state_updates.is_conferenced", shape = "void" },
      { id = 10, name = "ConferenceGroup", field = "iap2.start_call_state_updates.conference_group", shape = "void" },
      { id = 11, name = "DisconnectReason", field = "iap2.start_call_state_updates.disconnect_reason", shape = "void" },
      { id = 12, name = "StartTimestamp", field = "iap2.start_call_state_updates.start_timestamp", shape = "void" },
    } },
    [0x4155] = { name = "CallStateUpdate", sender = "device", rows = {
      { id = 0, name = "RemoteID", field = "iap2.call_state_update.remote_id", shape = "utf8" },
      { id = 1, name = "DisplayName", field = "iap2.call_state_update.display_name", shape = "utf8" },
      { id = 2, name = "Status", field = "iap2.call_state_update.status", shape = "enum", names = { [0] = "Disconnected", [1] = "Sending", [2] = "Ringing", [3] = "Connecting", [4] = "Active", [5] = "Held", [6] = "Disconnecting" } },
      { id = 3, name = "Direction", field = "iap2.call_state_update.direction", shape = "enum", names = { [0] = "Unknown", [1] = "Incoming", [2] = "Outgoing" } },
      { id = 4, name = "CallUUID", field = "iap2.call_state_update.call_uuid", shape = "utf8" },
      { id = 6, name = "AddressBookID", field = "iap2.call_state_update.address_book_id", shape = "utf8" },
      { id = 7, name = "Label", field = "iap2.call_state_update.label", shape = "utf8" },
      { id = 8, name = "Service", field = "iap2.call_state_update.service", shape = "enum", names = { [0] = "Unknown", [1] = "Telephony", [2] = "FaceTimeAudio", [3] = "FaceTimeVideo" } },
      { id = 9, name = "IsConferenced", field = "iap2.call_state_update.is_conferenced", shape = "bool" },
      { id = 10, name = "ConferenceGroup", field = "iap2.call_state_update.conference_group", shape = "u8" },
      { id = 11, name = "DisconnectReason", field = "iap2.call_state_update.disconnect_reason", shape = "enum", names = { [0] = "NoReason", [1] = "Declined", [2] = "Failed" } },
      { id = 12, name = "StartTimestamp", unit = "seconds", field = "iap2.call_state_update.start_timestamp", shape = "u64" },
    } },
    [0x4156] = { name = "StopCallStateUpdates", sender = "accessory", rows = {} },
    [0x4157] = { name = "StartCommunicationsUpdates", sender = "accessory", rows = {
      { id = 0, name = "SignalStrength", field = "iap2.start_communications_updates.signal_strength", shape = "void" },
      { id = 1, name = "RegistrationStatus", field = "iap2.start_communications_updates.registration_status", shape = "void" },
      { id = 2, name = "AirplaneModeStatus", field = "iap2.start_communications_updates.airplane_mode_status", shape = "void" },
      { id = 4, name = "CarrierName", field = "iap2.start_communications_updates.carrier_name", shape = "void" },
      { id = 5, name = "CellularSupported", field = "iap2.start_communications_updates.cellular_supported", shape = "void" },
      { id = 6, name = "TelephonyEnabled", field = "iap2.start_communications_updates.telephony_enabled", shape = "void" },
      { id = 7, name = "FaceTimeAudioEnabled", field = "iap2.start_communications_updates.face_time_audio_enabled", shape = "void" },
      { id = 8, name = "FaceTimeVideoEnabled", field = "iap2.start_communications_updates.face_time_video_enabled", shape = "void" },
      { id = 9, name = "MuteStatus", field = "iap2.start_communications_updates.mute_status", shape = "void" },
      { id = 10, name = "CurrentCallCount", field = "iap2.start_communications_updates.current_call_count", shape = "void" },
      { id = 11, name = "NewVoicemailCount", field = "iap2.start_communications_updates.new_voicemail_count", shape = "void" },
      { id = 12, name = "InitiateCallAvailable", field = "iap2.start_communications_updates.initiate_call_available", shape = "void" },
      { id = 13, name = "EndAndAcceptAvailable", field = "iap2.start_communications_updates.end_and_accept_available", shape = "void" },
      { id = 14, name = "HoldAndAcceptAvailable", field = "iap2.start_communications_updates.hold_and_accept_available", shape = "void" },
      { id = 15, name = "SwapAvailable", field = "iap2.start_communications_updates.swap_available", shape = "void" },
      { id = 16, name = "MergeAvailable", field = "iap2.start_communications_updates.merge_available", shape = "void" },
      { id = 17, name = "HoldAvailable", field = "iap2.start_communications_updates.hold_available", shape = "void" },
    } },
    [0x4158] = { name = "CommunicationsUpdate", sender = "device", rows = {
      { id = 0, name = "SignalStrength", field = "iap2.communications_update.signal_strength", shape = "enum", names = { [0] = "0 bars", [1] = "1 bar", [2] = "2 bars", [3] = "3 bars", [4] = "4 bars", [5] = "5 bars" } },
      { id = 1, name = "RegistrationStatus", field = "iap2.communications_update.registration_status", shape = "enum", names = { [0] = "Unknown", [1] = "NotRegistered", [2] = "Searching", [3] = "Denied", [4] = "RegisteredHome", [5] = "RegisteredRoaming", [6] = "EmergencyCallsOnly" } },
      { id = 2, name = "AirplaneModeStatus", field = "iap2.communications_update.airplane_mode_status", shape = "bool" },
      { id = 4, name = "CarrierName", field = "iap2.communications_update.carrier_name", shape = "utf8" },
      { id = 5, name = "CellularSupported", field = "iap2.communications_update.cellular_supported", shape = "bool" },
      { id = 6, name = "TelephonyEnabled", field = "iap2.communications_update.telephony_enabled", shape = "bool" },
      { id = 7, name = "FaceTimeAudioEnabled", field = "iap2.communications_update.face_time_audio_enabled", shape = "bool" },
      { id = 8, name = "FaceTimeVideoEnabled", field = "iap2.communications_update.face_time_video_enabled", shape = "bool" },
      { id = 9, name = "MuteStatus", field = "iap2.communications_update.mute_status", shape = "bool" },
      { id = 10, name = "CurrentCallCount", field = "iap2.communications_update.current_call_count", shape = "u8" },
      { id = 11, name = "NewVoicemailCount", field = "iap2.communications_update.new_voicemail_count", shape = "u8" },
      { id = 12, name = "InitiateCallAvailable", field = "iap2.communications_update.initiate_call_available", shape = "bool" },
      { id = 13, name = "EndAndAcceptAvailable", field = "iap2.communications_update.end_and_accept_available", shape = "bool" },
      { id = 14, name = "HoldAndAcceptAvailable", field = "iap2.communications_update.hold_and_accept_available", shape = "bool" },
      { id = 15, name = "SwapAvailable", field = "iap2.communications_update.swap_available", shape = "bool" },
      { id = 16, name = "MergeAvailable", field = "iap2.communications_update.merge_available", shape = "bool" },
      { id = 17, name = "HoldAvailable", field = "iap2.communications_update.hold_available", shape = "bool" },
    } },
    [0x4159] = { name = "StopCommunicationsUpdates", sender = "accessory", rows = {} },
    [0x415A] = { name = "InitiateCall", sender = "accessory", rows = {
      { id = 0, name = "Type", field = "iap2.initiate_call.type", shape = "enum", names = { [0] = "Destination", [1] = "Voicemail", [2] = "Redial" } },
      { id = 1, name = "DestinationID", field = "iap2.initiate_call.destination_id", shape = "utf8" },
      { id = 2, name = "Service", field = "iap2.initiate_call.service", shape = "enum", names = { [0] = "Unknown", [1] = "Telephony", [2] = "FaceTimeAudio", [3] = "FaceTimeVideo" } },
      { id = 3, name = "AddressBookID", field = "iap2.initiate_call.address_book_id", shape = "utf8" },
    } },
    [0x415B] = { name = "AcceptCall", sender = "accessory", rows = {
      { id = 0, name = "AcceptAction", field = "iap2.accept_call.accept_action", shape = "enum", names = { [0] = "AcceptOrHoldAndAccept", [1] = "EndAndAccept" } },
      { id = 1, name = "CallUUID", field = "iap2.accept_call.call_uuid", shape = "utf8" },
    } },
    [0x415C] = { name = "EndCall", sender = "accessory", rows = {
      { id = 0, name = "EndAction", field = "iap2.end_call.end_action", shape = "enum", names = { [0] = "EndOrDecline", [1] = "EndAll" } },
      { id = 1, name = "CallUUID", field = "iap2.end_call.call_uuid", shape = "utf8" },
    } },
    [0x415D] = { name = "SwapCalls", sender = "accessory", rows = {} },
    [0x415E] = { name = "MergeCalls", sender = "accessory", rows = {} },
    [0x415F] = { name = "HoldStatusUpdate", sender = "accessory", rows = {
      { id = 0, name = "HoldStatus", field = "iap2.hold_status_update.hold_status", shape = "bool" },
      { id = 1, name = "CallUUID", field = "iap2.hold_status_update.call_uuid", shape = "utf8" },
    } },
    [0x4160] = { name = "MuteStatusUpdate", sender = "accessory", rows = {
      { id = 0, name = "MuteStatus", field = "iap2.mute_status_update.mute_status", shape = "bool" },
    } },
    [0x4161] = { name = "SendDTMF", sender = "accessory", rows = {
      { id = 0, name = "Tone", field = "iap2.send_dtmf.tone", shape = "enum", names = { [0] = "0", [1] = "1", [2] = "2", [3] = "3", [4] = "4", [5] = "5", [6] = "6", [7] = "7", [8] = "8", [9] = "9", [10] = "*", [11] = "#" } },
      { id = 1, name = "CallUUID", field = "iap2.send_dtmf.call_uuid", shape = "utf8" },
    } },
    [0x4170] = { name = "StartListUpdates", sender = "accessory", rows = {
      { id = 1, name = "RecentsListProperties", field = "iap2.start_list_updates.recents_list_properties", shape = "group", rows = {
        { id = 0, name = "Index", field = "iap2.start_list_updates.recents_list_properties.index", shape = "void" },
        { id = 1, name = "RemoteID", field = "iap2.start_list_updates.recents_list_properties.remote_id", shape = "void" },
        { id = 2, name = "DisplayName", field = "iap2.start_list_updates.recents_list_properties.display_name", shape = "void" },
        { id = 3, name = "Label", field = "iap2.start_list_updates.recents_list_properties.label", shape = "void" },
        { id = 4, name = "AddressBookID", field = "iap2.start_list_updates.recents_list_properties.address_book_id", shape = "void" },
        { id = 5, name = "Service", field = "iap2.start_list_updates.recents_list_properties.service", shape = "void" },
        { id = 6, name = "Type", field = "iap2.start_list_updates.recents_list_properties.type", shape = "void" },
        { id = 7, name = "UnixTimestamp", field = "iap2.start_list_updates.recents_list_properties.unix_timestamp", shape = "void" },
        { id = 8, name = "Duration", field = "iap2.start_list_updates.recents_list_properties.duration", shape = "void" },
        { id = 9, name = "Occurrences", field = "iap2.start_list_updates.recents_list_properties.occurrences", shape = "void" },
      } },
      { id = 3, name = "RecentsListMax", field = "iap2.start_list_updates.recents_list_max", shape = "u16" },
      { id = 4, name = "RecentsListCombine", field = "iap2.start_list_updates.recents_list_combine", shape = "bool" },
      { id = 6, name = "FavoritesListProperties", field = "iap2.start_list_updates.favorites_list_properties", shape = "group", rows = {
        { id = 0, name = "Index", field = "iap2.start_list_updates.favorites_list_properties.index", shape = "void" },
        { id = 1, name = "RemoteID", field = "iap2.start_list_updates.favorites_list_properties.remote_id", shape = "void" },
        { id = 2, name = "DisplayName", field = "iap2.start_list_updates.favorites_list_properties.display_name", shape = "void" },
        { id = 3, name = "Label", field = "iap2.start_list_updates.favorites_list_properties.label", shape = "void" },
        { id = 4, name = "AddressBookID", field = "iap2.start_list_updates.favorites_list_properties.address_book_id", shape = "void" },
        { id = 5, name = "Service", field = "iap2.start_list_updates.favorites_list_properties.service", shape = "void" },
      } },
      { id = 8, name = "FavoritesListMax", field = "iap2.start_list_updates.favorites_list_max", shape = "u16" },
    } },
    [0x4171] = { name = "ListUpdate", sender = "device", rows = {
      { id = 0, name = "RecentsListAvailable", field = "iap2.list_update.recents_list_available", shape = "bool" },
      { id = 1, name = "RecentsList", field = "iap2.list_update.recents_list", shape = "group", rows = {
        { id = 0, name = "Index", field = "iap2.list_update.recents_list.index", shape = "u16" },
        { id = 1, name = "RemoteID", field = "iap2.list_update.recents_list.remote_id", shape = "utf8" },
        { id = 2, name = "DisplayName", field = "iap2.list_update.recents_list.display_name", shape = "utf8" },
        { id = 3, name = "Label", field = "iap2.list_update.recents_list.label", shape = "utf8" },
        { id = 4, name = "AddressBookID", field = "iap2.list_update.recents_list.address_book_id", shape = "utf8" },
        { id = 5, name = "Service", field = "iap2.list_update.recents_list.service", shape = "enum", names = { [0] = "Unknown", [1] = "Telephony", [2] = "FaceTimeAudio", [3] = "FaceTimeVideo" } },
        { id = 6, name = "Type", field = "iap2.list_update.recents_list.type", shape = "enum", names = { [0] = "Unknown", [1] = "Incoming", [2] = "Outgoing", [3] = "Missed" } },
        { id = 7, name = "UnixTimestamp", field = "iap2.list_update.recents_list.unix_timestamp", shape = "u64" },
        { id = 8, name = "Duration", unit = "seconds", field = "iap2.list_update.recents_list.duration", shape = "u32" },
        { id = 9, name = "Occurrences", field = "iap2.list_update.recents_list.occurrences", shape = "u8" },
      } },
      { id = 2, name = "RecentsListCount", field = "iap2.list_update.recents_list_count", shape = "u16" },
      { id = 5, name = "FavoritesListAvailable", field = "iap2.list_update.favorites_list_available", shape = "bool" },
      { id = 6, name = "FavoritesList", field = "iap2.list_update.favorites_list", shape = "group", rows = {
        { id = 0, name = "Index", field = "iap2.list_update.favorites_list.index", shape = "u16" },
        { id = 1, name = "RemoteID", field = "iap2.list_update.favorites_list.remote_id", shape = "utf8" },
        { id = 2, name = "DisplayName", field = "iap2.list_update.favorites_list.display_name", shape = "utf8" },
        { id = 3, name = "Label", field = "iap2.list_update.favorites_list.label", shape = "utf8" },
        { id = 4, name = "AddressBookID", field = "iap2.list_update.favorites_list.address_book_id", shape = "utf8" },
        { id = 5, name = "Service", field = "iap2.list_update.favorites_list.service", shape = "enum", names = { [0] = "Unknown", [1] = "Telephony", [2] = "FaceTimeAudio", [3] = "FaceTimeVideo" } },
      } },
      { id = 7, name = "FavoritesListCount", field = "iap2.list_update.favorites_list_count", shape = "u16" },
    } },
    [0x4172] = { name = "StopListUpdates", sender = "accessory", rows = {} },
    [0x4300] = { name = "CarPlayAvailability", sender = "device", rows = {
      { id = 0, name = "WiredAttributes", field = "iap2.car_play_availability.wired_attributes", shape = "group", rows = {
        { id = 0, name = "WiredCarPlayAvailable", field = "iap2.car_play_availability.wired_attributes.wired_car_play_available", shape = "bool" },
        { id = 1, name = "USBTransportIdentifier", field = "iap2.car_play_availability.wired_attributes.usb_transport_identifier", shape = "utf8" },
      } },
      { id = 1, name = "WirelessAttributes", field = "iap2.car_play_availability.wireless_attributes", shape = "group", rows = {
        { id = 0, name = "WirelessCarPlayAvailable", field = "iap2.car_play_availability.wireless_attributes.wireless_car_play_available", shape = "bool" },
        { id = 1, name = "BluetoothTransportIdentifier", field = "iap2.car_play_availability.wireless_attributes.bluetooth_transport_identifier", shape = "utf8" },
      } },
      { id = 2, name = "ThemeAssetsAttributes", field = "iap2.car_play_availability.theme_assets_attributes", shape = "group", rows = {
        { id = 0, name = "ThemeAssetsAvailable", field = "iap2.car_play_availability.theme_assets_attributes.theme_assets_available", shape = "u8" },
      } },
    } },
    [0x4301] = { name = "CarPlayStartSession", sender = "accessory", rows = {
      { id = 0, name = "WiredAttributes", field = "iap2.car_play_start_session.wired_attributes", shape = "group", rows = {
        { id = 0, name = "IPAddress", field = "iap2.car_play_start_session.wired_attributes.ip_address", shape = "utf8" },
        { id = 1, name = "Reserved", field = "iap2.car_play_start_session.wired_attributes.reserved", shape = "u32" },
      } },
      { id = 1, name = "WirelessAttributes", field = "iap2.car_play_start_session.wireless_attributes", shape = "group", rows = {
        { id = 0, name = "WiFiSSID", field = "iap2.car_play_start_session.wireless_attributes.wifi_ssid", shape = "utf8" },
        { id = 1, name = "Passphrase", field = "iap2.car_play_start_session.wireless_attributes.passphrase", shape = "utf8" },
        { id = 2, name = "Channel", field = "iap2.car_play_start_session.wireless_attributes.channel", shape = "u8" },
        { id = 3, name = "IPAddress", field = "iap2.car_play_start_session.wireless_attributes.ip_address", shape = "utf8" },
        { id = 4, name = "SecurityType", field = "iap2.car_play_start_session.wireless_attributes.security_type", shape = "enum", names = { [0] = "None", [1] = "WEP", [2] = "WPA/WPA2", [3] = "WPA3Transition", [4] = "WPA3Only" } },
      } },
      { id = 2, name = "Port", field = "iap2.car_play_start_session.port", shape = "u32" },
      { id = 3, name = "DeviceIdentifier", field = "iap2.car_play_start_session.device_identifier", shape = "utf8" },
      { id = 4, name = "PublicKey", field = "iap2.car_play_start_session.public_key", shape = "utf8" },
      { id = 5, name = "SourceVersion", field = "iap2.car_play_start_session.source_version", shape = "utf8" },
      { id = 6, name = "SDKVersion", field = "iap2.car_play_start_session.sdk_version", shape = "utf8" },
      { id = 7, name = "ClusterAsset", field = "iap2.car_play_start_session.cluster_asset", shape = "group", rows = {
        { id = 0, name = "AssetIdentifier", field = "iap2.car_play_start_session.cluster_asset.asset_identifier", shape = "utf8" },
        { id = 1, name = "AssetVersion", field = "iap2.car_play_start_session.cluster_asset.asset_version", shape = "u32" },
      } },
      { id = 8, name = "SupportsMutualAuthentication", field = "iap2.car_play_start_session.supports_mutual_authentication", shape = "bool" },
    } },
    [0x4302] = { name = "AvailableDigitalCarKeys", sender = "accessory", rows = {} },
    [0x4303] = { name = "MatchedDigitalCarKeys", sender = "device", rows = {} },
    [0x4C00] = { name = "StartMediaLibraryInformation", sender = "accessory", rows = {} },
    [0x4C01] = { name = "MediaLibraryInformation", sender = "device", rows = {
      { id = 0, name = "MediaLibraryInformation", field = "iap2.media_library_information.media_library_information", shape = "group", rows = {
        { id = 0, name = "MediaLibraryName", field = "iap2.media_library_information.media_library_information.media_library_name", shape = "utf8" },
        { id = 1, name = "MediaLibraryUniqueIdentifier", field = "iap2.media_library_information.media_library_information.media_library_unique_identifier", shape = "utf8" },
        { id = 2, name = "MediaLibraryType", field = "iap2.media_library_information.media_library_information.media_library_type", shape = "enum", names = { [0] = "LocalDevice", [2] = "AppleMusicRadio" } },
      } },
    } },
    [0x4C02] = { name = "StopMediaLibraryInformation", sender = "accessory", rows = {} },
    [0x4C03] = { name = "StartMediaLibraryUpdates", sender = "accessory", rows = {
      { id = 0, name = "MediaLibraryUniqueIdentifier", field = "iap2.start_media_library_updates.media_library_unique_identifier", shape = "utf8" },
      { id = 1, name = "LastKnownMediaLibraryRevision", field = "iap2.start_media_library_updates.last_known_media_library_revision", shape = "utf8" },
      { id = 2, name = "MediaItemProperties", field = "iap2.start_media_library_updates.media_item_properties", shape = "group", rows = {
        { id = 0, name = "MediaItemPersistentIdentifier", field = "iap2.start_media_library_updates.media_item_properties.media_item_persistent_identifier", shape = "void" },
        { id = 1, name = "MediaItemTitle", field = "iap2.start_media_library_updates.media_item_properties.media_item_title", shape = "void" },
        { id = 2, name = "MediaItemMediaType", field = "iap2.start_media_library_updates.media_item_properties.media_item_media_type", shape = "void" },
        { id = 3, name = "MediaItemRating", field = "iap2.start_media_library_updates.media_item_properties.media_item_rating", shape = "void" },
        { id = 4, name = "MediaItemPlaybackDurationInMilliseconds", field = "iap2.start_media_library_updates.media_item_properties.media_item_playback_duration_in_milliseconds", shape = "void" },
        { id = 5, name = "MediaItemAlbumPersistentIdentifier", field = "iap2.start_media_library_updates.media_item_properties.media_item_album_persistent_identifier", shape = "void" },
        { id = 6, name = "MediaItemAlbumTitle", field = "iap2.start_media_library_updates.media_item_properties.media_item_album_title", shape = "void" },
        { id = 7, name = "MediaItemAlbumTrackNumber", field = "iap2.start_media_library_updates.media_item_properties.media_item_album_track_number", shape = "void" },
        { id = 8, name = "MediaItemAlbumTrackCount", field = "iap2.start_media_library_updates.media_item_properties.media_item_album_track_count", shape = "void" },
        { id = 9, name = "MediaItemAlbumDiscNumber", field = "iap2.start_media_library_updates.media_item_properties.media_item_album_disc_number", shape = "void" },
        { id = 10, name = "MediaItemAlbumDiscCount", field = "iap2.start_media_library_updates.media_item_properties.media_item_album_disc_count", shape = "void" },
        { id = 11, name = "MediaItemArtistPersistentIdentifier", field = "iap2.start_media_library_updates.media_item_properties.media_item_artist_persistent_identifier", shape = "void" },
        { id = 12, name = "MediaItemArtist", field = "iap2.start_media_library_updates.media_item_properties.media_item_artist", shape = "void" },
        { id = 13, name = "MediaItemAlbumArtistPersistentIdentifier", field = "iap2.start_media_library_updates.media_item_properties.media_item_album_artist_persistent_identifier", shape = "void" },
        { id = 14, name = "MediaItemAlbumArtist", field = "iap2.start_media_library_updates.media_item_properties.media_item_album_artist", shape = "void" },
        { id = 15, name = "MediaItemGenrePersistentIdentifier", field = "iap2.start_media_library_updates.media_item_properties.media_item_genre_persistent_identifier", shape = "void" },
        { id = 16, name = "MediaItemGenre", field = "iap2.start_media_library_updates.media_item_properties.media_item_genre", shape = "void" },
        { id = 17, name = "MediaItemComposerPersistentIdentifier", field = "iap2.start_media_library_updates.media_item_properties.media_item_composer_persistent_identifier", shape = "void" },
        { id = 18, name = "MediaItemComposer", field = "iap2.start_media_library_updates.media_item_properties.media_item_composer", shape = "void" },
        { id = 19, name = "MediaItemIsPartOfCompilation", field = "iap2.start_media_library_updates.media_item_properties.media_item_is_part_of_compilation", shape = "void" },
        { id = 25, name = "MediaItemIsResidentOnDevice", field = "iap2.start_media_library_updates.media_item_properties.media_item_is_resident_on_device", shape = "void" },
        { id = 27, name = "MediaItemChapterCount", field = "iap2.start_media_library_updates.media_item_properties.media_item_chapter_count", shape = "void" },
      } },
      { id = 3, name = "MediaPlaylistProperties", field = "iap2.start_media_library_updates.media_playlist_properties", shape = "group", rows = {
        { id = 0, name = "MediaPlaylistPersistentIdentifier", field = "iap2.start_media_library_updates.media_playlist_properties.media_playlist_persistent_identifier", shape = "void" },
        { id = 1, name = "MediaPlaylistName", field = "iap2.start_media_library_updates.media_playlist_properties.media_playlist_name", shape = "void" },
        { id = 2, name = "MediaPlaylistParentPersistentIdentifier", field = "iap2.start_media_library_updates.media_playlist_properties.media_playlist_parent_persistent_identifier", shape = "void" },
        { id = 3, name = "MediaPlaylistIsGeniusMix", field = "iap2.start_media_library_updates.media_playlist_properties.media_playlist_is_genius_mix", shape = "void" },
        { id = 4, name = "MediaPlaylistIsFolder", field = "iap2.start_media_library_updates.media_playlist_properties.media_playlist_is_folder", shape = "void" },
        { id = 5, name = "MediaPlaylistContainedMediaItemsFileTransferIdentifier", field = "iap2.start_media_library_updates.media_playlist_properties.media_playlist_contained_media_items_file_transfer_identifier", shape = "void" },
        { id = 6, name = "MediaPlaylistIsAppleMusicRadioStation", field = "iap2.start_media_library_updates.media_playlist_properties.media_playlist_is_apple_music_radio_station", shape = "void" },
        { id = 7, name = "Unknown7", field = "iap2.start_media_library_updates.media_playlist_properties.unknown7", shape = "void" },
      } },
      { id = 4, name = "MediaLibraryUpdateProgress", field = "iap2.start_media_library_updates.media_library_update_progress", shape = "void" },
      { id = 5, name = "MediaLibraryIsHidingRemoteItems", field = "iap2.start_media_library_updates.media_library_is_hiding_remote_items", shape = "void" },
      { id = 6, name = "PlayAllSongsCapable", field = "iap2.start_media_library_updates.play_all_songs_capable", shape = "void" },
      { id = 7, name = "MediaPlaylistContentTransferInformationRequest", field = "iap2.start_media_library_updates.media_playlist_content_transfer_information_request", shape = "group", rows = {
        { id = 0, name = "MediaItemPersistentIdentifier", field = "iap2.start_media_library_updates.media_playlist_content_transfer_information_request.media_item_persistent_identifier", shape = "void" },
        { id = 1, name = "MediaItemTitle", field = "iap2.start_media_library_updates.media_playlist_content_transfer_information_request.media_item_title", shape = "void" },
        { id = 6, name = "MediaItemAlbumTitle", field = "iap2.start_media_library_updates.media_playlist_content_transfer_information_request.media_item_album_title", shape = "void" },
        { id = 12, name = "MediaItemArtist", field = "iap2.start_media_library_updates.media_playlist_content_transfer_information_request.media_item_artist", shape = "void" },
        { id = 14, name = "MediaItemAlbumArtist", field = "iap2.start_media_library_updates.media_playlist_content_transfer_information_request.media_item_album_artist", shape = "void" },
        { id = 16, name = "MediaItemGenre", field = "iap2.start_media_library_updates.media_playlist_content_transfer_information_request.media_item_genre", shape = "void" },
        { id = 18, name = "MediaItemComposer", field = "iap2.start_media_library_updates.media_playlist_content_transfer_information_request.media_item_composer", shape = "void" },
      } },
    } },
    [0x4C04] = { name = "MediaLibraryUpdate", sender = "device", rows = {
      { id = 0, name = "MediaLibraryUniqueIdentifier", field = "iap2.media_library_update.media_library_unique_identifier", shape = "utf8" },
      { id = 1, name = "MediaLibraryRevision", field = "iap2.media_library_update.media_library_revision", shape = "utf8" },
      { id = 2, name = "MediaItem", field = "iap2.media_library_update.media_item", shape = "group", rows = {
        { id = 0, name = "MediaItemPersistentIdentifier", field = "iap2.media_library_update.media_item.media_item_persistent_identifier", shape = "u64" },
        { id = 1, name = "MediaItemTitle", field = "iap2.media_library_update.media_item.media_item_title", shape = "utf8" },
        { id = 2, name = "MediaItemMediaType", joins = true, field = "iap2.media_library_update.media_item.media_item_media_type", shape = "enum", names = { [0] = "Music", [1] = "Podcast", [2] = "AudioBook", [3] = "iTunesU" } },
        { id = 3, name = "MediaItemRating", field = "iap2.media_library_update.media_item.media_item_rating", shape = "u8" },
        { id = 4, name = "MediaItemPlaybackDurationInMilliseconds", unit = "ms", field = "iap2.media_library_update.media_item.media_item_playback_duration_in_milliseconds", shape = "u32" },
        { id = 5, name = "MediaItemAlbumPersistentIdentifier", field = "iap2.media_library_update.media_item.media_item_album_persistent_identifier", shape = "u64" },
        { id = 6, name = "MediaItemAlbumTitle", field = "iap2.media_library_update.media_item.media_item_album_title", shape = "utf8" },
        { id = 7, name = "MediaItemAlbumTrackNumber", field = "iap2.media_library_update.media_item.media_item_album_track_number", shape = "u16" },
        { id = 8, name = "MediaItemAlbumTrackCount", field = "iap2.media_library_update.media_item.media_item_album_track_count", shape = "u16" },
        { id = 9, name = "MediaItemAlbumDiscNumber", field = "iap2.media_library_update.media_item.media_item_album_disc_number", shape = "u16" },
        { id = 10, name = "MediaItemAlbumDiscCount", field = "iap2.media_library_update.media_item.media_item_album_disc_count", shape = "u16" },
        { id = 11, name = "MediaItemArtistPersistentIdentifier", field = "iap2.media_library_update.media_item.media_item_artist_persistent_identifier", shape = "u64" },
        { id = 12, name = "MediaItemArtist", field = "iap2.media_library_update.media_item.media_item_artist", shape = "utf8" },
        { id = 13, name = "MediaItemAlbumArtistPersistentIdentifier", field = "iap2.media_library_update.media_item.media_item_album_artist_persistent_identifier", shape = "u64" },
        { id = 14, name = "MediaItemAlbumArtist", field = "iap2.media_library_update.media_item.media_item_album_artist", shape = "utf8" },
        { id = 15, name = "MediaItemGenrePersistentIdentifier", field = "iap2.media_library_update.media_item.media_item_genre_persistent_identifier", shape = "u64" },
        { id = 16, name = "MediaItemGenre", field = "iap2.media_library_update.media_item.media_item_genre", shape = "utf8" },
        { id = 17, name = "MediaItemComposerPersistentIdentifier", field = "iap2.media_library_update.media_item.media_item_composer_persistent_identifier", shape = "u64" },
        { id = 18, name = "MediaItemComposer", field = "iap2.media_library_update.media_item.media_item_composer", shape = "utf8" },
        { id = 19, name = "MediaItemIsPartOfCompilation", field = "iap2.media_library_update.media_item.media_item_is_part_of_compilation", shape = "bool" },
        { id = 21, name = "MediaItemIsLikeSupported", field = "iap2.media_library_update.media_item.media_item_is_like_supported", shape = "bool" },
        { id = 22, name = "MediaItemIsBanSupported", field = "iap2.media_library_update.media_item.media_item_is_ban_supported", shape = "bool" },
        { id = 23, name = "MediaItemIsLiked", field = "iap2.media_library_update.media_item.media_item_is_liked", shape = "bool" },
        { id = 24, name = "MediaItemIsBanned", field = "iap2.media_library_update.media_item.media_item_is_banned", shape = "bool" },
        { id = 25, name = "MediaItemIsResidentOnDevice", field = "iap2.media_library_update.media_item.media_item_is_resident_on_device", shape = "bool" },
        { id = 26, name = "MediaItemArtworkFileTransferIdentifier", field = "iap2.media_library_update.media_item.media_item_artwork_file_transfer_identifier", shape = "u8" },
        { id = 27, name = "MediaItemChapterCount", field = "iap2.media_library_update.media_item.media_item_chapter_count", shape = "u16" },
      } },
      { id = 3, name = "MediaPlaylist", field = "iap2.media_library_update.media_playlist", shape = "group", rows = {
        { id = 0, name = "MediaPlaylistPersistentIdentifier", field = "iap2.media_library_update.media_playlist.media_playlist_persistent_identifier", shape = "u64" },
        { id = 1, name = "MediaPlaylistName", field = "iap2.media_library_update.media_playlist.media_playlist_name", shape = "utf8" },
        { id = 2, name = "MediaPlaylistParentPersistentIdentifier", field = "iap2.media_library_update.media_playlist.media_playlist_parent_persistent_identifier", shape = "u64" },
        { id = 3, name = "MediaPlaylistIsGeniusMix", field = "iap2.media_library_update.media_playlist.media_playlist_is_genius_mix", shape = "bool" },
        { id = 4, name = "MediaPlaylistIsFolder", field = "iap2.media_library_update.media_playlist.media_playlist_is_folder", shape = "bool" },
        { id = 5, name = "MediaPlaylistContainedMediaItemsFileTransferIdentifier", field = "iap2.media_library_update.media_playlist.media_playlist_contained_media_items_file_transfer_identifier", shape = "u8" },
        { id = 6, name = "MediaPlaylistIsAppleMusicRadioStation", field = "iap2.media_library_update.media_playlist.media_playlist_is_apple_music_radio_station", shape = "bool" },
      } },
      { id = 4, name = "MediaItemDeletePersistentIdentifier", joins = true, field = "iap2.media_library_update.media_item_delete_persistent_identifier", shape = "u64" },
      { id = 5, name = "MediaPlaylistDeletePersistentIdentifier", joins = true, field = "iap2.media_library_update.media_playlist_delete_persistent_identifier", shape = "u64" },
      { id = 6, name = "MediaLibraryReset", field = "iap2.media_library_update.media_library_reset", shape = "void" },
      { id = 7, name = "MediaLibraryUpdateProgress", field = "iap2.media_library_update.media_library_update_progress", shape = "u8" },
      { id = 8, name = "MediaLibraryIsHidingRemoteItems", field = "iap2.media_library_update.media_library_is_hiding_remote_items", shape = "bool" },
      { id = 9, name = "PlayAllSongsCapable", field = "iap2.media_library_update.play_all_songs_capable", shape = "bool" },
    } },
    [0x4C05] = { name = "StopMediaLibraryUpdates", sender = "accessory", rows = {} },
    [0x4C06] = { name = "PlayMediaLibraryCurrentSelection", sender = "accessory", rows = {} },
    [0x4C07] = { name = "PlayMediaLibraryItems", sender = "accessory", rows = {} },
    [0x4C08] = { name = "PlayMediaLibraryCollection", sender = "accessory", rows = {} },
    [0x4C09] = { name = "PlayMediaLibrarySpecial", sender = "accessory", rows = {} },
    [0x4E01] = { name = "BluetoothComponentInformation", sender = "accessory", rows = {} },
    [0x4E03] = { name = "StartBluetoothConnectionUpdates", sender = "accessory", rows = {
      { id = 0, name = "BluetoothTransportComponentIdentifier", field = "iap2.start_bluetooth_connection_updates.bluetooth_transport_component_identifier", shape = "u16" },
    } },
    [0x4E04] = { name = "BluetoothConnectionUpdate", sender = "device", rows = {
      { id = 0, name = "BluetoothTransportComponentIdentifier", field = "iap2.bluetooth_connection_update.bluetooth_transport_component_identifier", shape = "u16" },
      { id = 1, name = "ConnectedBluetoothProfiles", field = "iap2.bluetooth_connection_update.connected_bluetooth_profiles", shape = "group" },
    } },
    [0x4E05] = { name = "StopBluetoothConnectionUpdates", sender = "accessory", rows = {} },
    [0x4E09] = { name = "DeviceInformationUpdate", sender = "device", rows = {
      { id = 0, name = "DeviceName", field = "iap2.device_information_update.device_name", shape = "utf8" },
    } },
    [0x4E0A] = { name = "DeviceLanguageUpdate", sender = "device", rows = {
      { id = 0, name = "Language", field = "iap2.device_language_update.language", shape = "utf8" },
    } },
    [0x4E0B] = { name = "DeviceTimeUpdate", sender = "device", rows = {
      { id = 0, name = "SecondsSinceReferenceDate", field = "iap2.device_time_update.seconds_since_reference_date", shape = "i64" },
      { id = 1, name = "TimeZoneOffsetMinutes", field = "iap2.device_time_update.time_zone_offset_minutes", shape = "i16" },
      { id = 2, name = "DaylightSavingsOffsetMinutes", field = "iap2.device_time_update.daylight_savings_offset_minutes", shape = "i8" },
    } },
    [0x4E0C] = { name = "DeviceUUIDUpdate", sender = "device", rows = {
      { id = 0, name = "UUID", field = "iap2.device_uuid_update.uuid", shape = "utf8" },
    } },
    [0x4E0D] = { name = "WirelessCarPlayUpdate", sender = "device", rows = {
      { id = 0, name = "Status", field = "iap2.wireless_car_play_update.status", shape = "enum", names = { [0] = "Unavailable", [1] = "Available" } },
    } },
    [0x4E0E] = { name = "DeviceTransportIdentifierNotification", sender = "device", rows = {
      { id = 0, name = "BluetoothTransportID", field = "iap2.device_transport_identifier_notification.bluetooth_transport_id", shape = "utf8" },
      { id = 1, name = "USBTransportID", field = "iap2.device_transport_identifier_notification.usb_transport_id", shape = "utf8" },
    } },
    [0x5000] = { name = "StartNowPlayingUpdates", sender = "accessory", rows = {
      { id = 0, name = "MediaItemAttributes", field = "iap2.start_now_playing_updates.media_item_attributes", shape = "group", rows = {
        { id = 0, name = "MediaItemPersistentIdentifier", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_persistent_identifier", shape = "void" },
        { id = 1, name = "MediaItemTitle", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_title", shape = "void" },
        { id = 4, name = "MediaItemPlaybackDurationInMilliseconds", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_playback_duration_in_milliseconds", shape = "void" },
        { id = 6, name = "MediaItemAlbumTitle", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_album_title", shape = "void" },
        { id = 7, name = "MediaItemAlbumTrackNumber", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_album_track_number", shape = "void" },
        { id = 8, name = "MediaItemAlbumTrackCount", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_album_track_count", shape = "void" },
        { id = 9, name = "MediaItemAlbumDiscNumber", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_album_disc_number", shape = "void" },
        { id = 10, name = "MediaItemAlbumDiscCount", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_album_disc_count", shape = "void" },
        { id = 12, name = "MediaItemArtist", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_artist", shape = "void" },
        { id = 14, name = "MediaItemAlbumArtist", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_album_artist", shape = "void" },
        { id = 16, name = "MediaItemGenre", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_genre", shape = "void" },
        { id = 18, name = "MediaItemComposer", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_composer", shape = "void" },
        { id = 21, name = "MediaItemIsLikeSupported", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_is_like_supported", shape = "void" },
        { id = 22, name = "MediaItemIsBanSupported", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_is_ban_supported", shape = "void" },
        { id = 23, name = "MediaItemIsLiked", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_is_liked", shape = "void" },
        { id = 24, name = "MediaItemIsBanned", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_is_banned", shape = "void" },
        { id = 26, name = "MediaItemArtworkFileTransferIdentifier", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_artwork_file_transfer_identifier", shape = "void" },
        { id = 27, name = "MediaItemChapterCount", field = "iap2.start_now_playing_updates.media_item_attributes.media_item_chapter_count", shape = "void" },
      } },
      { id = 1, name = "PlaybackAttributes", field = "iap2.start_now_playing_updates.playback_attributes", shape = "group", rows = {
        { id = 0, name = "PlaybackStatus", field = "iap2.start_now_playing_updates.playback_attributes.playback_status", shape = "void" },
        { id = 1, name = "PlaybackElapsedTimeInMilliseconds", field = "iap2.start_now_playing_updates.playback_attributes.playback_elapsed_time_in_milliseconds", shape = "void" },
        { id = 2, name = "PlaybackQueueIndex", field = "iap2.start_now_playing_updates.playback_attributes.playback_queue_index", shape = "void" },
        { id = 3, name = "PlaybackQueueCount", field = "iap2.start_now_playing_updates.playback_attributes.playback_queue_count", shape = "void" },
        { id = 4, name = "PlaybackQueueChapterIndex", field = "iap2.start_now_playing_updates.playback_attributes.playback_queue_chapter_index", shape = "void" },
        { id = 5, name = "PlaybackShuffleMode", field = "iap2.start_now_playing_updates.playback_attributes.playback_shuffle_mode", shape = "void" },
        { id = 6, name = "PlaybackRepeatMode", field = "iap2.start_now_playing_updates.playback_attributes.playback_repeat_mode", shape = "void" },
        { id = 7, name = "PlaybackAppName", field = "iap2.start_now_playing_updates.playback_attributes.playback_app_name", shape = "void" },
        { id = 8, name = "PBMediaLibraryUniqueIdentifier", field = "iap2.start_now_playing_updates.playback_attributes.pb_media_library_unique_identifier", shape = "void" },
        { id = 9, name = "PBAppleMusicRadioAd", field = "iap2.start_now_playing_updates.playback_attributes.pb_apple_music_radio_ad", shape = "void" },
        { id = 10, name = "PBAppleMusicRadioStationName", field = "iap2.start_now_playing_updates.playback_attributes.pb_apple_music_radio_station_name", shape = "void" },
        { id = 11, name = "PBAppleMusicRadioStationMediaPlaylistPersistentID", field = "iap2.start_now_playing_updates.playback_attributes.pb_apple_music_radio_station_media_playlist_persistent_id", shape = "void" },
        { id = 12, name = "PlaybackSpeed", field = "iap2.start_now_playing_updates.playback_attributes.playback_speed", shape = "void" },
        { id = 13, name = "SetElapsedTimeAvailable", field = "iap2.start_now_playing_updates.playback_attributes.set_elapsed_time_available", shape = "void" },
        { id = 14, name = "PlaybackQueueListAvailable", field = "iap2.start_now_playing_updates.playback_attributes.playback_queue_list_available", shape = "void" },
        { id = 15, name = "PlaybackQueueListTransferID", field = "iap2.start_now_playing_updates.playback_attributes.playback_queue_list_transfer_id", shape = "void" },
        { id = 16, name = "PlaybackAppBundleID", field = "iap2.start_now_playing_updates.playback_attributes.playback_app_bundle_id", shape = "void" },
        { id = 17, name = "PlaybackQueueListContentTransferSize", field = "iap2.start_now_playing_updates.playback_attributes.playback_queue_list_content_transfer_size", shape = "u32" },
      } },
      { id = 2, name = "PlaybackQueueListContentTransferInformationRequest", field = "iap2.start_now_playing_updates.playback_queue_list_content_transfer_information_request", shape = "group", rows = {
        { id = 0, name = "MediaItemPersistentIdentifier", field = "iap2.start_now_playing_updates.playback_queue_list_content_transfer_information_request.media_item_persistent_identifier", shape = "void" },
        { id = 1, name = "MediaItemTitle", field = "iap2.start_now_playing_updates.playback_queue_list_content_transfer_information_request.media_item_title", shape = "void" },
        { id = 6, name = "MediaItemAlbumTitle", field = "iap2.start_now_playing_updates.playback_queue_list_content_transfer_information_request.media_item_album_title", shape = "void" },
        { id = 12, name = "MediaItemArtist", field = "iap2.start_now_playing_updates.playback_queue_list_content_transfer_information_request.media_item_artist", shape = "void" },
        { id = 14, name = "MediaItemAlbumArtist", field = "iap2.start_now_playing_updates.playback_queue_list_content_transfer_information_request.media_item_album_artist", shape = "void" },
        { id = 16, name = "MediaItemGenre", field = "iap2.start_now_playing_updates.playback_queue_list_content_transfer_information_request.media_item_genre", shape = "void" },
        { id = 18, name = "MediaItemComposer", field = "iap2.start_now_playing_updates.playback_queue_list_content_transfer_information_request.media_item_composer", shape = "void" },
      } },
    } },
    [0x5001] = { name = "NowPlayingUpdate", sender = "device", rows = {
      { id = 0, name = "MediaItemAttributes", field = "iap2.now_playing_update.media_item_attributes", shape = "group", rows = {
        { id = 0, name = "MediaItemPersistentIdentifier", field = "iap2.now_playing_update.media_item_attributes.media_item_persistent_identifier", shape = "u64" },
        { id = 1, name = "MediaItemTitle", field = "iap2.now_playing_update.media_item_attributes.media_item_title", shape = "utf8" },
        { id = 2, name = "MediaItemMediaType", joins = true, field = "iap2.now_playing_update.media_item_attributes.media_item_media_type", shape = "enum", names = { [0] = "Music", [1] = "Podcast", [2] = "AudioBook", [3] = "iTunesU" } },
        { id = 3, name = "MediaItemRating", field = "iap2.now_playing_update.media_item_attributes.media_item_rating", shape = "u8" },
        { id = 4, name = "MediaItemPlaybackDurationInMilliseconds", unit = "ms", field = "iap2.now_playing_update.media_item_attributes.media_item_playback_duration_in_milliseconds", shape = "u32" },
        { id = 5, name = "MediaItemAlbumPersistentIdentifier", field = "iap2.now_playing_update.media_item_attributes.media_item_album_persistent_identifier", shape = "u64" },
        { id = 6, name = "MediaItemAlbumTitle", field = "iap2.now_playing_update.media_item_attributes.media_item_album_title", shape = "utf8" },
        { id = 7, name = "MediaItemAlbumTrackNumber", field = "iap2.now_playing_update.media_item_attributes.media_item_album_track_number", shape = "u16" },
        { id = 8, name = "MediaItemAlbumTrackCount", field = "iap2.now_playing_update.media_item_attributes.media_item_album_track_count", shape = "u16" },
        { id = 9, name = "MediaItemAlbumDiscNumber", field = "iap2.now_playing_update.media_item_attributes.media_item_album_disc_number", shape = "u16" },
        { id = 10, name = "MediaItemAlbumDiscCount", field = "iap2.now_playing_update.media_item_attributes.media_item_album_disc_count", shape = "u16" },
        { id = 11, name = "MediaItemArtistPersistentIdentifier", field = "iap2.now_playing_update.media_item_attributes.media_item_artist_persistent_identifier", shape = "u64" },
        { id = 12, name = "MediaItemArtist", field = "iap2.now_playing_update.media_item_attributes.media_item_artist", shape = "utf8" },
        { id = 13, name = "MediaItemAlbumArtistPersistentIdentifier", field = "iap2.now_playing_update.media_item_attributes.media_item_album_artist_persistent_identifier", shape = "u64" },
        { id = 14, name = "MediaItemAlbumArtist", field = "iap2.now_playing_update.media_item_attributes.media_item_album_artist", shape = "utf8" },
        { id = 15, name = "MediaItemGenrePersistentIdentifier", field = "iap2.now_playing_update.media_item_attributes.media_item_genre_persistent_identifier", shape = "u64" },
        { id = 16, name = "MediaItemGenre", field = "iap2.now_playing_update.media_item_attributes.media_item_genre", shape = "utf8" },
        { id = 17, name = "MediaItemComposerPersistentIdentifier", field = "iap2.now_playing_update.media_item_attributes.media_item_composer_persistent_identifier", shape = "u64" },
        { id = 18, name = "MediaItemComposer", field = "iap2.now_playing_update.media_item_attributes.media_item_composer", shape = "utf8" },
        { id = 19, name = "MediaItemIsPartOfCompilation", field = "iap2.now_playing_update.media_item_attributes.media_item_is_part_of_compilation", shape = "bool" },
        { id = 21, name = "MediaItemIsLikeSupported", field = "iap2.now_playing_update.media_item_attributes.media_item_is_like_supported", shape = "bool" },
        { id = 22, name = "MediaItemIsBanSupported", field = "iap2.now_playing_update.media_item_attributes.media_item_is_ban_supported", shape = "bool" },
        { id = 23, name = "MediaItemIsLiked", field = "iap2.now_playing_update.media_item_attributes.media_item_is_liked", shape = "bool" },
        { id = 24, name = "MediaItemIsBanned", field = "iap2.now_playing_update.media_item_attributes.media_item_is_banned", shape = "bool" },
        { id = 25, name = "MediaItemIsResidentOnDevice", field = "iap2.now_playing_update.media_item_attributes.media_item_is_resident_on_device", shape = "bool" },
        { id = 26, name = "MediaItemArtworkFileTransferIdentifier", field = "iap2.now_playing_update.media_item_attributes.media_item_artwork_file_transfer_identifier", shape = "u8" },
        { id = 27, name = "MediaItemChapterCount", field = "iap2.now_playing_update.media_item_attributes.media_item_chapter_count", shape = "u16" },
      } },
      { id = 1, name = "PlaybackAttributes", field = "iap2.now_playing_update.playback_attributes", shape = "group", rows = {
        { id = 0, name = "PlaybackStatus", field = "iap2.now_playing_update.playback_attributes.playback_status", shape = "enum", names = { [0] = "Stopped", [1] = "Playing", [2] = "Paused", [3] = "SeekForward", [4] = "SeekBackward" } },
        { id = 1, name = "PlaybackElapsedTimeInMilliseconds", unit = "ms", field = "iap2.now_playing_update.playback_attributes.playback_elapsed_time_in_milliseconds", shape = "u32" },
        { id = 2, name = "PlaybackQueueIndex", field = "iap2.now_playing_update.playback_attributes.playback_queue_index", shape = "u32" },
        { id = 3, name = "PlaybackQueueCount", field = "iap2.now_playing_update.playback_attributes.playback_queue_count", shape = "u32" },
        { id = 4, name = "PlaybackQueueChapterIndex", field = "iap2.now_playing_update.playback_attributes.playback_queue_chapter_index", shape = "u32" },
        { id = 5, name = "PlaybackShuffleMode", field = "iap2.now_playing_update.playback_attributes.playback_shuffle_mode", shape = "enum", names = { [0] = "Off", [1] = "Songs", [2] = "Albums" } },
        { id = 6, name = "PlaybackRepeatMode", field = "iap2.now_playing_update.playback_attributes.playback_repeat_mode", shape = "enum", names = { [0] = "Off", [1] = "One", [2] = "All" } },
        { id = 7, name = "PlaybackAppName", field = "iap2.now_playing_update.playback_attributes.playback_app_name", shape = "utf8" },
        { id = 8, name = "PBMediaLibraryUniqueIdentifier", field = "iap2.now_playing_update.playback_attributes.pb_media_library_unique_identifier", shape = "utf8" },
        { id = 9, name = "PBAppleMusicRadioAd", field = "iap2.now_playing_update.playback_attributes.pb_apple_music_radio_ad", shape = "bool" },
        { id = 10, name = "PBAppleMusicRadioStationName", field = "iap2.now_playing_update.playback_attributes.pb_apple_music_radio_station_name", shape = "utf8" },
        { id = 11, name = "PBAppleMusicRadioStationMediaPlaylistPersistentID", field = "iap2.now_playing_update.playback_attributes.pb_apple_music_radio_station_media_playlist_persistent_id", shape = "u64" },
        { id = 12, name = "PlaybackSpeed", unit = "percent", field = "iap2.now_playing_update.playback_attributes.playback_speed", shape = "u16" },
        { id = 13, name = "SetElapsedTimeAvailable", field = "iap2.now_playing_update.playback_attributes.set_elapsed_time_available", shape = "bool" },
        { id = 14, name = "PlaybackQueueListAvailable", field = "iap2.now_playing_update.playback_attributes.playback_queue_list_available", shape = "bool" },
        { id = 15, name = "PlaybackQueueListTransferID", field = "iap2.now_playing_update.playback_attributes.playback_queue_list_transfer_id", shape = "u8" },
        { id = 16, name = "PlaybackAppBundleID", field = "iap2.now_playing_update.playback_attributes.playback_app_bundle_id", shape = "utf8" },
        { id = 17, name = "PlaybackQueueListContentTransfer", field = "iap2.now_playing_update.playback_attributes.playback_queue_list_content_transfer", shape = "void" },
      } },
    } },
    [0x5002] = { name = "StopNowPlayingUpdates", sender = "accessory", rows = {} },
    [0x5003] = { name = "SetNowPlayingInformation", sender = "accessory", rows = {
      { id = 0, name = "ElapsedTime", field = "iap2.set_now_playing_information.elapsed_time", shape = "u32" },
      { id = 1, name = "PlaybackQueueIndex", field = "iap2.set_now_playing_information.playback_queue_index", shape = "u32" },
      { id = 2, name = "PlaybackQueueListContentTransferStartIndex", field = "iap2.set_now_playing_information.playback_queue_list_content_transfer_start_index", shape = "u32" },
      { id = 3, name = "ShuffleMode", field = "iap2.set_now_playing_information.shuffle_mode", shape = "u8" },
      { id = 4, name = "RepeatMode", field = "iap2.set_now_playing_information.repeat_mode", shape = "u8" },
    } },
    [0x5200] = { name = "StartRouteGuidanceUpdates", sender = "accessory", rows = {
      { id = 0, name = "RouteGuidanceDisplayComponentID", joins = true, field = "iap2.start_route_guidance_updates.route_guidance_display_component_id", shape = "u16" },
      { id = 1, name = "SourceName", field = "iap2.start_route_guidance_updates.source_name", shape = "void" },
      { id = 2, name = "SourceSupportsRouteGuidance", field = "iap2.start_route_guidance_updates.source_supports_route_guidance", shape = "void" },
      { id = 3, name = "SupportsExitInfo", field = "iap2.start_route_guidance_updates.supports_exit_info", shape = "void" },
    } },
    [0x5201] = { name = "RouteGuidanceUpdate", sender = "device", rows = {
      { id = 0, name = "RouteGuidanceDisplayComponentIDs", field = "iap2.route_guidance_update.route_guidance_display_component_ids", shape = "u16", packed = true },
      { id = 1, name = "RouteGuidanceState", field = "iap2.route_guidance_update.route_guidance_state", shape = "enum", names = { [0] = "NoRouteSet", [1] = "RouteSet", [2] = "Arrived", [3] = "Loading", [4] = "Locating", [5] = "Rerouting", [6] = "ProceedToRoute" } },
      { id = 2, name = "ManeuverState", field = "iap2.route_guidance_update.maneuver_state", shape = "enum", names = {  } },
      { id = 3, name = "CurrentRoadName", field = "iap2.route_guidance_update.current_road_name", shape = "utf8" },
      { id = 4, name = "DestinationName", field = "iap2.route_guidance_update.destination_name", shape = "utf8" },
      { id = 5, name = "EstimatedTimeOfArrival", unit = "Unix seconds", field = "iap2.route_guidance_update.estimated_time_of_arrival", shape = "u64" },
      { id = 6, name = "TimeRemainingToDestination", unit = "seconds", field = "iap2.route_guidance_update.time_remaining_to_destination", shape = "u64" },
      { id = 7, name = "DistanceRemaining", unit = "metres", field = "iap2.route_guidance_update.distance_remaining", shape = "u32" },
      { id = 8, name = "DistanceRemainingDisplayString", field = "iap2.route_guidance_update.distance_remaining_display_string", shape = "utf8" },
      { id = 9, name = "DistanceRemainingDisplayUnits", field = "iap2.route_guidance_update.distance_remaining_display_units", shape = "enum", names = { [0] = "Kilometers", [1] = "Miles", [2] = "Meters", [3] = "Yards", [4] = "Feet" } },
      { id = 10, name = "DistanceToNextManeuver", unit = "metres", field = "iap2.route_guidance_update.distance_to_next_maneuver", shape = "u32" },
      { id = 11, name = "DistanceToNextManeuverDisplayString", field = "iap2.route_guidance_update.distance_to_next_maneuver_display_string", shape = "utf8" },
      { id = 12, name = "DistanceToNextManeuverDisplayUnits", field = "iap2.route_guidance_update.distance_to_next_maneuver_display_units", shape = "enum", names = { [0] = "Kilometers", [1] = "Miles", [2] = "Meters", [3] = "Yards", [4] = "Feet" } },
      { id = 13, name = "RouteGuidanceManeuverCurrentList", field = "iap2.route_guidance_update.route_guidance_maneuver_current_list", shape = "u16", packed = true },
      { id = 14, name = "RouteGuidanceManeuverCount", field = "iap2.route_guidance_update.route_guidance_maneuver_count", shape = "u16" },
      { id = 15, name = "RouteGuidanceBeingShownInApp", field = "iap2.route_guidance_update.route_guidance_being_shown_in_app", shape = "bool" },
      { id = 16, name = "LaneGuidanceCurrentIndex", field = "iap2.route_guidance_update.lane_guidance_current_index", shape = "u16" },
      { id = 17, name = "LaneGuidanceTotalCount", field = "iap2.route_guidance_update.lane_guidance_total_count", shape = "u16" },
      { id = 18, name = "LaneGuidanceShowing", field = "iap2.route_guidance_update.lane_guidance_showing", shape = "bool" },
      { id = 19, name = "SourceName", field = "iap2.route_guidance_update.source_name", shape = "utf8" },
      { id = 20, name = "SourceSupportsRouteGuidance", field = "iap2.route_guidance_update.source_supports_route_guidance", shape = "bool" },
    } },
    [0x5202] = { name = "RouteGuidanceManeuverUpdate", sender = "device", rows = {
      { id = 0, name = "RouteGuidanceDisplayComponentIDs", field = "iap2.route_guidance_maneuver_update.route_guidance_display_component_ids", shape = "u16", packed = true },
      { id = 1, name = "Index", field = "iap2.route_guidance_maneuver_update.index", shape = "u16" },
      { id = 2, name = "ManeuverDescription", field = "iap2.route_guidance_maneuver_update.maneuver_description", shape = "utf8" },
      { id = 3, name = "ManeuverType", field = "iap2.route_guidance_maneuver_update.maneuver_type", shape = "enum", names = { [0] = "NoTurn", [1] = "LeftTurn", [2] = "RightTurn", [3] = "StraightAhead", [4] = "UTurn", [5] = "FollowRoad", [6] = "EnterRoundabout", [7] = "ExitRoundabout", [8] = "OffRamp", [9] = "OnRamp", [10] = "ArriveEndOfNavigation", [11] = "StartRoute", [12] = "ArriveAtDestination", [13] = "KeepLeft", [14] = "KeepRight", [15] = "EnterFerry", [16] = "ExitFerry", [17] = "ChangeFerry", [18] = "StartRouteWithUTurn", [19] = "UTurnAtRoundabout", [20] = "LeftTurnAtEnd", [21] = "RightTurnAtEnd", [22] = "HighwayOffRampLeft", [23] = "HighwayOffRampRight", [24] = "ArriveAtDestinationLeft", [25] = "ArriveAtDestinationRight", [26] = "UTurnWhenPossible", [27] = "ArriveEndOfDirections", [28] = "RoundaboutExit1", [29] = "RoundaboutExit2", [30] = "RoundaboutExit3", [31] = "RoundaboutExit4", [32] = "RoundaboutExit5", [33] = "RoundaboutExit6", [34] = "RoundaboutExit7", [35] = "RoundaboutExit8", [36] = "RoundaboutExit9", [37] = "RoundaboutExit10", [38] = "RoundaboutExit11", [39] = "RoundaboutExit12", [40] = "RoundaboutExit13", [41] = "RoundaboutExit14", [42] = "RoundaboutExit15", [43] = "RoundaboutExit16", [44] = "RoundaboutExit17", [45] = "RoundaboutExit18", [46] = "RoundaboutExit19", [47] = "SharpLeftTurn", [48] = "SharpRightTurn", [49] = "SlightLeftTurn", [50] = "SlightRightTurn", [51] = "ChangeHighway", [52] = "ChangeHighwayLeft", [53] = "ChangeHighwayRight" } },
      { id = 4, name = "AfterManeuverRoadName", field = "iap2.route_guidance_maneuver_update.after_maneuver_road_name", shape = "utf8" },
      { id = 5, name = "DistanceBetweenManeuver", unit = "metres", field = "iap2.route_guidance_maneuver_update.distance_between_maneuver", shape = "u32" },
      { id = 6, name = "DistanceBetweenManeuverDisplayString", field = "iap2.route_guidance_maneuver_update.distance_between_maneuver_display_string", shape = "utf8" },
      { id = 7, name = "DistanceBetweenManeuverDisplayUnits", field = "iap2.route_guidance_maneuver_update.distance_between_maneuver_display_units", shape = "enum", names = { [0] = "Kilometers", [1] = "Miles", [2] = "Meters", [3] = "Yards", [4] = "Feet" } },
      { id = 8, name = "DrivingSide", field = "iap2.route_guidance_maneuver_update.driving_side", shape = "enum", names = { [0] = "RightHandTraffic", [1] = "LeftHandTraffic" } },
      { id = 9, name = "JunctionType", field = "iap2.route_guidance_maneuver_update.junction_type", shape = "enum", names = { [0] = "SingleIntersection", [1] = "Roundabout" } },
      { id = 10, name = "JunctionElementAngle", joins = true, field = "iap2.route_guidance_maneuver_update.junction_element_angle", shape = "i16" },
      { id = 11, name = "JunctionElementExitAngle", field = "iap2.route_guidance_maneuver_update.junction_element_exit_angle", shape = "i16" },
      { id = 12, name = "LinkedLaneGuidanceInformation", field = "iap2.route_guidance_maneuver_update.linked_lane_guidance_information", shape = "u16" },
      { id = 13, name = "ExitInfo", field = "iap2.route_guidance_maneuver_update.exit_info", shape = "utf8" },
    } },
    [0x5203] = { name = "StopRouteGuidanceUpdates", sender = "accessory", rows = {
      { id = 0, name = "RouteGuidanceDisplayComponentID", joins = true, field = "iap2.stop_route_guidance_updates.route_guidance_display_component_id", shape = "u16" },
    } },
    [0x5204] = { name = "LaneGuidanceInformation", sender = "device", rows = {
      { id = 0, name = "RouteGuidanceDisplayComponentIDs", field = "iap2.lane_guidance_information.route_guidance_display_component_ids", shape = "u16", packed = true },
      { id = 1, name = "Index", field = "iap2.lane_guidance_information.index", shape = "u16" },
      { id = 2, name = "LaneInformation", field = "iap2.lane_guidance_information.lane_information", shape = "group", rows = {
        { id = 0, name = "LaneIndex", field = "iap2.lane_guidance_information.lane_information.lane_index", shape = "u16" },
        { id = 1, name = "LaneStatus", field = "iap2.lane_guidance_information.lane_information.lane_status", shape = "enum", names = { [0] = "NotGood", [1] = "Good", [2] = "Preferred" } },
        { id = 2, name = "LaneAngle", joins = true, field = "iap2.lane_guidance_information.lane_information.lane_angle", shape = "i16" },
        { id = 3, name = "LaneAngleHighlight", field = "iap2.lane_guidance_information.lane_information.lane_angle_highlight", shape = "i16" },
      } },
      { id = 3, name = "LaneGuidanceDescription", field = "iap2.lane_guidance_information.lane_guidance_description", shape = "utf8" },
    } },
    [0x5400] = { name = "StartAssistiveTouch", sender = "accessory", rows = {} },
    [0x5401] = { name = "StopAssistiveTouch", sender = "accessory", rows = {} },
    [0x5402] = { name = "StartAssistiveTouchInformation", sender = "accessory", rows = {} },
    [0x5403] = { name = "AssistiveTouchInformation", sender = "device", rows = {
      { id = 0, name = "IsEnabled", field = "iap2.assistive_touch_information.is_enabled", shape = "bool" },
    } },
    [0x5404] = { name = "StopAssistiveTouchInformation", sender = "accessory", rows = {} },
    [0x5601] = { name = "VoiceOverMoveCursor", sender = "accessory", rows = {} },
    [0x5602] = { name = "VoiceOverSelectCursor", sender = "accessory", rows = {} },
    [0x5603] = { name = "VoiceOverScrollPage", sender = "accessory", rows = {} },
    [0x5606] = { name = "VoiceOverSpeakText", sender = "accessory", rows = {} },
    [0x5608] = { name = "VoiceOverPauseSpeaking", sender = "accessory", rows = {} },
    [0x5609] = { name = "VoiceOverResumeSpeaking", sender = "accessory", rows = {} },
    [0x560B] = { name = "StartVoiceOverInformation", sender = "accessory", rows = {} },
    [0x560C] = { name = "VoiceOverInformation", sender = "device", rows = {} },
    [0x560D] = { name = "StopVoiceOverInformation", sender = "accessory", rows = {} },
    [0x560E] = { name = "VoiceOverUpdateInformation", sender = "accessory", rows = {} },
    [0x560F] = { name = "StartVoiceOverCursorInformation", sender = "accessory", rows = {} },
    [0x5610] = { name = "VoiceOverCursorInformation", sender = "device", rows = {} },
    [0x5611] = { name = "StopVoiceOverCursorInformation", sender = "accessory", rows = {} },
    [0x5612] = { name = "StartVoiceOver", sender = "accessory", rows = {} },
    [0x5613] = { name = "StopVoiceOver", sender = "accessory", rows = {} },
    [0x5700] = { name = "RequestWiFiInformation", sender = "accessory", rows = {} },
    [0x5701] = { name = "WiFiInformation", sender = "device", rows = {
      { id = 0, name = "RequestStatus", field = "iap2.wifi_information.request_status", shape = "enum", names = { [0] = "Success", [1] = "UserDeclined", [2] = "NetworkInformationUnavailable" } },
      { id = 1, name = "SecurityType", field = "iap2.wifi_information.security_type", shape = "enum", names = { [0] = "None", [1] = "WEP", [2] = "WPA/WPA2", [3] = "WPA3Transition", [4] = "WPA3Only" }, other = { field = "iap2.wifi_information.security_type.utf8", shape = "utf8" } },
      { id = 2, name = "WiFiSSID", field = "iap2.wifi_information.wifi_ssid", shape = "utf8" },
      { id = 3, name = "WiFiPassphrase", field = "iap2.wifi_information.wifi_passphrase", shape = "utf8" },
    } },
    [0x5702] = { name = "RequestAccessoryWiFiConfigurationInformation", sender = "device", rows = {} },
    [0x5703] = { name = "AccessoryWiFiConfigurationInformation", sender = "accessory", rows = {
      { id = 0, name = "BSSID", field = "iap2.accessory_wifi_configuration_information.bssid", shape = "blob" },
      { id = 1, name = "WiFiSSID", field = "iap2.accessory_wifi_configuration_information.wifi_ssid", shape = "utf8" },
      { id = 2, name = "WiFiPassphrase", field = "iap2.accessory_wifi_configuration_information.wifi_passphrase", shape = "utf8" },
      { id = 3, name = "SecurityType", field = "iap2.accessory_wifi_configuration_information.security_type", shape = "enum", names = { [0] = "None", [1] = "WEP", [2] = "WPA/WPA2", [3] = "WPA3Transition", [4] = "WPA3Only" } },
      { id = 4, name = "Channel", field = "iap2.accessory_wifi_configuration_information.channel", shape = "u8" },
    } },
    [0x6800] = { name = "StartHID", sender = "accessory", rows = {
      { id = 0, name = "HIDComponentIdentifier", field = "iap2.start_hid.hid_component_identifier", shape = "u16" },
      { id = 1, name = "VendorIdentifier", field = "iap2.start_hid.vendor_identifier", shape = "u16" },
      { id = 2, name = "ProductIdentifier", field = "iap2.start_hid.product_identifier", shape = "u16" },
      { id = 4, name = "HIDReportDescriptor", field = "iap2.start_hid.hid_report_descriptor", shape = "blob" },
    } },
    [0x6801] = { name = "DeviceHIDReport", sender = "device", rows = {
      { id = 0, name = "HIDComponentIdentifier", field = "iap2.device_hid_report.hid_component_identifier", shape = "u16" },
      { id = 1, name = "HIDReport", field = "iap2.device_hid_report.hid_report", shape = "blob" },
    } },
    [0x6802] = { name = "AccessoryHIDReport", sender = "accessory", rows = {
      { id = 0, name = "HIDComponentIdentifier", field = "iap2.accessory_hid_report.hid_component_identifier", shape = "u16" },
      { id = 1, name = "HIDReport", field = "iap2.accessory_hid_report.hid_report", shape = "blob" },
    } },
    [0x6803] = { name = "StopHID", sender = "accessory", rows = {
      { id = 0, name = "HIDComponentIdentifier", field = "iap2.stop_hid.hid_component_identifier", shape = "u16" },
    } },
    [0x6804] = { name = "GetHIDReport", sender = "device", rows = {} },
    [0x6805] = { name = "GetHIDReportResponse", sender = "accessory", rows = {} },
    [0x6806] = { name = "StartNativeHID", sender = "device", rows = {} },
    [0x6807] = { name = "HIDComponentUpdate", sender = "device", rows = {
      { id = 0, name = "HIDComponentIdentifier", field = "iap2.hid_component_update.hid_component_identifier", shape = "u16" },
      { id = 1, name = "HIDComponentEnabled", field = "iap2.hid_component_update.hid_component_enabled", shape = "bool" },
    } },
    [0x7E00] = { name = "StartUSBHostMode", sender = "accessory", rows = {} },
    [0x7E02] = { name = "StopUSBHostMode", sender = "accessory", rows = {} },
    [0xA100] = { name = "StartVehicleStatusUpdates", sender = "device", rows = {
      { id = 3, name = "Range", field = "iap2.start_vehicle_status_updates.range", shape = "void" },
      { id = 4, name = "OutsideTemperature", field = "iap2.start_vehicle_status_updates.outside_temperature", shape = "void" },
      { id = 6, name = "RangeWarning", field = "iap2.start_vehicle_status_updates.range_warning", shape = "void" },
    } },
    [0xA101] = { name = "VehicleStatusUpdate", sender = "accessory", rows = {
      { id = 3, name = "Range", field = "iap2.vehicle_status_update.range", shape = "u16" },
      { id = 4, name = "OutsideTemperature", field = "iap2.vehicle_status_update.outside_temperature", shape = "i16" },
      { id = 6, name = "RangeWarning", field = "iap2.vehicle_status_update.range_warning", shape = "bool" },
    } },
    [0xA102] = { name = "StopVehicleStatusUpdates", sender = "device", rows = {} },
    [0xAA00] = { name = "RequestAuthenticationCertificate", sender = "device", rows = {
      { id = 0, name = "RequestSerialNumber", field = "iap2.request_authentication_certificate.request_serial_number", shape = "void" },
    } },
    [0xAA01] = { name = "AuthenticationCertificate", sender = "accessory", rows = {
      { id = 0, name = "AuthenticationCertificate", field = "iap2.authentication_certificate.authentication_certificate", shape = "blob" },
    } },
    [0xAA02] = { name = "RequestAuthenticationChallengeResponse", sender = "device", rows = {
      { id = 0, name = "AuthenticationChallenge", field = "iap2.request_authentication_challenge_response.authentication_challenge", shape = "blob" },
    } },
    [0xAA03] = { name = "AuthenticationResponse", sender = "accessory", rows = {
      { id = 0, name = "AuthenticationChallengeResponse", field = "iap2.authentication_response.authentication_challenge_response", shape = "blob" },
    } },
    [0xAA04] = { name = "AuthenticationFailed", sender = "device", rows = {} },
    [0xAA05] = { name = "AuthenticationSucceeded", sender = "device", rows = {} },
    [0xAA06] = { name = "AccessoryAuthenticationSerialNumber", sender = "accessory", rows = {
      { id = 0, name = "SerialNumber", field = "iap2.accessory_authentication_serial_number.serial_number", shape = "blob" },
    } },
    [0xAA10] = { name = "RequestDeviceCertificate", sender = "accessory", rows = {} },
    [0xAA11] = { name = "DeviceAuthenticationCertificate", sender = "device", rows = {} },
    [0xAA12] = { name = "RequestDeviceAuthenticationChallengeResponse", sender = "accessory", rows = {} },
    [0xAA13] = { name = "DeviceAuthenticationResponse", sender = "device", rows = {} },
    [0xAA14] = { name = "DeviceAuthenticationFailed", sender = "accessory", rows = {} },
    [0xAA15] = { name = "DeviceAuthenticationSucceeded", sender = "accessory", rows = {} },
    [0xAD00] = { name = "StartAppLinksUpdates", sender = "accessory", rows = {} },
    [0xAD01] = { name = "AppLinksUpdate", sender = "device", rows = {} },
    [0xAD02] = { name = "StopAppLinksUpdates", sender = "accessory", rows = {} },
    [0xAD03] = { name = "RequestAppLinksIcons", sender = "accessory", rows = {} },
    [0xAD04] = { name = "AppLinksIcon", sender = "device", rows = {} },
    [0xAE00] = { name = "StartPowerUpdates", sender = "accessory", rows = {
      { id = 0, name = "MaximumCurrentDrawnFromAccessory", field = "iap2.start_power_updates.maximum_current_drawn_from_accessory", shape = "void" },
      { id = 1, name = "DeviceBatteryWillChargeIfPowerIsPresent", field = "iap2.start_power_updates.device_battery_will_charge_if_power_is_present", shape = "void" },
      { id = 2, name = "AccessoryPowerMode", field = "iap2.start_power_updates.accessory_power_mode", shape = "void" },
      { id = 4, name = "IsExternalChargerConnected", field = "iap2.start_power_updates.is_external_charger_connected", shape = "void" },
      { id = 5, name = "BatteryChargingState", field = "iap2.start_power_updates.battery_charging_state", shape = "void" },
      { id = 6, name = "BatteryChargeLevel", field = "iap2.start_power_updates.battery_charge_level", shape = "void" },
    } },
    [0xAE01] = { name = "PowerUpdate", sender = "device", rows = {
      { id = 0, name = "MaximumCurrentDrawnFromAccessory", unit = "mA", field = "iap2.power_update.maximum_current_drawn_from_accessory", shape = "u16" },
      { id = 1, name = "DeviceBatteryWillChargeIfPowerIsPresent", field = "iap2.power_update.device_battery_will_charge_if_power_is_present", shape = "bool" },
      { id = 2, name = "AccessoryPowerMode", field = "iap2.power_update.accessory_power_mode", shape = "enum", names = { [0] = "Reserved", [1] = "LowPower", [2] = "IntermittentHighPower" } },
      { id = 4, name = "IsExternalChargerConnected", field = "iap2.power_update.is_external_charger_connected", shape = "bool" },
      { id = 5, name = "BatteryChargingState", field = "iap2.power_update.battery_charging_state", shape = "enum", names = { [0] = "Disabled", [1] = "Charging", [2] = "Charged" } },
      { id = 6, name = "BatteryChargeLevel", unit = "percent", field = "iap2.power_update.battery_charge_level", shape = "u16" },
    } },
    [0xAE02] = { name = "StopPowerUpdates", sender = "accessory", rows = {} },
    [0xAE03] = { name = "PowerSourceUpdate", sender = "accessory", rows = {
      { id = 0, name = "AvailableCurrentForDevice", unit = "mA", field = "iap2.power_source_update.available_current_for_device", shape = "u16" },
      { id = 1, name = "DeviceBatteryShouldChargeIfPowerIsPresent", field = "iap2.power_source_update.device_battery_should_charge_if_power_is_present", shape = "bool" },
      { id = 3, name = "AvailableSiphoningCurrent", field = "iap2.power_source_update.available_siphoning_current", shape = "u16" },
      { id = 4, name = "ReserveCurrent", field = "iap2.power_source_update.reserve_current", shape = "u16" },
      { id = 5, name = "MaximumNonSiphoningCurrentExceeded", field = "iap2.power_source_update.maximum_non_siphoning_current_exceeded", shape = "void" },
    } },
    [0xAE05] = { name = "AccessoryPowerUpdate", sender = "accessory", rows = {} },
    [0xAE06] = { name = "AccessoryResetBaseCurrent", sender = "accessory", rows = {} },
    [0xB102] = { name = "BLEPairingAccessoryStateUpdate", sender = "accessory", rows = {} },
    [0xB103] = { name = "BLEPairingAccessoryInformation", sender = "accessory", rows = {} },
    [0xB105] = { name = "BLEPairingAccessoryData", sender = "accessory", rows = {} },
    [0xB107] = { name = "StopBLEPairingUpdates", sender = "device", rows = {} },
    [0xDA00] = { name = "StartUSBDeviceModeAudio", sender = "accessory", rows = {} },
    [0xDA01] = { name = "USBDeviceModeAudioInformation", sender = "device", rows = {
      { id = 0, name = "SampleRate", field = "iap2.usb_device_mode_audio_information.sample_rate", shape = "enum", names = { [0] = "8000", [1] = "11025", [2] = "12000", [3] = "16000", [4] = "22050", [5] = "24000", [6] = "32000", [7] = "44100", [8] = "48000" } },
      { id = 1, name = "Unknown1", field = "iap2.usb_device_mode_audio_information.unknown1", shape = "u32" },
      { id = 2, name = "Unknown2", field = "iap2.usb_device_mode_audio_information.unknown2", shape = "u32" },
    } },
    [0xDA02] = { name = "StopUSBDeviceModeAudio", sender = "accessory", rows = {} },
    [0xEA00] = { name = "StartExternalAccessoryProtocolSession", sender = "device", rows = {
      { id = 0, name = "ExternalAccessoryProtocolIdentifier", field = "iap2.start_external_accessory_protocol_session.external_accessory_protocol_identifier", shape = "u8" },
      { id = 1, name = "ExternalAccessoryProtocolSessionIdentifier", field = "iap2.start_external_accessory_protocol_session.external_accessory_protocol_session_identifier", shape = "u16" },
    } },
    [0xEA01] = { name = "StopExternalAccessoryProtocolSession", sender = "device", rows = {
      { id = 0, name = "ExternalAccessoryProtocolSessionIdentifier", field = "iap2.stop_external_accessory_protocol_session.external_accessory_protocol_session_identifier", shape = "u16" },
    } },
    [0xEA02] = { name = "RequestAppLaunch", sender = "accessory", rows = {
      { id = 0, name = "AppBundleID", field = "iap2.request_app_launch.app_bundle_id", shape = "utf8" },
      { id = 1, name = "LaunchMethod", field = "iap2.request_app_launch.launch_method", shape = "enum", names = { [0] = "LaunchWithUserAlert", [1] = "LaunchWithoutUserAlert" } },
    } },
    [0xEA03] = { name = "StatusExternalAccessoryProtocolSession", sender = "accessory", rows = {
      { id = 0, name = "ExternalAccessoryProtocolSessionIdentifier", field = "iap2.status_external_accessory_protocol_session.external_accessory_protocol_session_identifier", shape = "u16" },
      { id = 1, name = "ExternalAccessoryProtocolSessionStatus", field = "iap2.status_external_accessory_protocol_session.external_accessory_protocol_session_status", shape = "enum", names = { [0] = "OK", [1] = "Close" } },
    } },
    [0xFFF0] = { name = "GPRMCDataStatusValuesNotification", sender = "device", rows = {
      { id = 0, name = "GPRMCDataStatusValueA", field = "iap2.gprmc_data_status_values_notification.gprmc_data_status_value_a", shape = "void" },
      { id = 1, name = "GPRMCDataStatusValueV", field = "iap2.gprmc_data_status_values_notification.gprmc_data_status_value_v", shape = "void" },
      { id = 2, name = "GPRMCDataStatusValueX", field = "iap2.gprmc_data_status_values_notification.gprmc_data_status_value_x", shape = "void" },
    } },
    [0xFFFA] = { name = "StartLocationInformation", sender = "device", rows = {
      { id = 1, name = "GlobalPositioningSystemFixData", field = "iap2.start_location_information.global_positioning_system_fix_data", shape = "void" },
      { id = 2, name = "RecommendedMinimumSpecificGPSTransitData", field = "iap2.start_location_information.recommended_minimum_specific_gps_transit_data", shape = "void" },
      { id = 3, name = "GPSSatellitesInView", field = "iap2.start_location_information.gps_satellites_in_view", shape = "void" },
      { id = 4, name = "VehicleSpeedData", field = "iap2.start_location_information.vehicle_speed_data", shape = "void" },
      { id = 5, name = "VehicleGyroData", field = "iap2.start_location_information.vehicle_gyro_data", shape = "void" },
      { id = 6, name = "VehicleAccelerometerData", field = "iap2.start_location_information.vehicle_accelerometer_data", shape = "void" },
      { id = 7, name = "VehicleHeadingData", field = "iap2.start_location_information.vehicle_heading_data", shape = "void" },
    } },
    [0xFFFB] = { name = "LocationInformation", sender = "accessory", rows = {
      { id = 0, name = "NMEASentence", field = "iap2.location_information.nmea_sentence", shape = "utf8" },
    } },
    [0xFFFC] = { name = "StopLocationInformation", sender = "device", rows = {} },
  },
}

-- The fields that Wireshark shows and filters by. `schema`, above, has all names of the protocol.

local is_first, iap2 = pcall(Proto, "iap2", "Apple accessory protocol iAP2")
-- Wireshark reads the plugins of the user and those of the system. The copy that it reads first is used.
if not is_first and tostring(iap2):find("there cannot be two protocols") then do return end end
assert(is_first, iap2)
-- The header of a record of link type USER10, which `iap2` writes.
local iap2_record = Proto("iap2_record", "iAP2 capture record")

local field = {
  connection = ProtoField.uint16("iap2.connection", "Connection"),
  from = ProtoField.string("iap2.from", "From"),
  detect = ProtoField.none("iap2.detect", "Detect"),
  undecoded = ProtoField.bytes("iap2.undecoded", "Bytes that could not be read"),
  fragment = ProtoField.bytes("iap2.fragment", "Start of a packet, the rest is in a later record"),
  first_record = ProtoField.framenum("iap2.first_record", "Begins in record"),
  packet = ProtoField.none("iap2.packet", "Packet"),
  length = ProtoField.uint16("iap2.length", "Length"),
  control = ProtoField.uint8("iap2.control", "Control", base.HEX),
  sequence = ProtoField.uint8("iap2.sequence", "Sequence number"),
  acknowledgement = ProtoField.uint8("iap2.acknowledgement", "Acknowledgement"),
  session = ProtoField.uint8("iap2.session", "Session"),
  session_type = ProtoField.uint8("iap2.session.type", "Session type", base.DEC, schema.session_types),
  header_checksum = ProtoField.uint8("iap2.header_checksum", "Header checksum", base.HEX),
  header_state = ProtoField.string("iap2.header_checksum.status", "Header checksum is"),
  payload_checksum = ProtoField.uint8("iap2.payload_checksum", "Payload checksum", base.HEX),
  payload_state = ProtoField.string("iap2.payload_checksum.status", "Payload checksum is"),
  retransmission = ProtoField.bool("iap2.retransmission", "Sent again"),
  missing = ProtoField.uint8("iap2.missing_sequence", "Missing sequence number"),
  syn = ProtoField.none("iap2.syn", "Synchronization"),
  syn_version = ProtoField.uint8("iap2.syn.version", "Link version"),
  syn_max_outstanding = ProtoField.uint8("iap2.syn.max_outstanding", "Most packets outstanding"),
  syn_max_length = ProtoField.uint16("iap2.syn.max_length", "Longest packet"),
  syn_retransmission = ProtoField.uint16("iap2.syn.retransmission_timeout", "Retransmission timeout, ms"),
  syn_cumulative_ack = ProtoField.uint16("iap2.syn.cumulative_ack_timeout", "Cumulative acknowledgement timeout, ms"),
  syn_max_retransmissions = ProtoField.uint8("iap2.syn.max_retransmissions", "Most retransmissions"),
  syn_max_acks = ProtoField.uint8("iap2.syn.max_cumulative_acks", "Most cumulative acknowledgements"),
  syn_session = ProtoField.none("iap2.syn.session", "Session"),
  syn_session_id = ProtoField.uint8("iap2.syn.session.id", "Id"),
  syn_session_type = ProtoField.uint8("iap2.syn.session.type", "Type", base.DEC, schema.session_types),
  syn_session_version = ProtoField.uint8("iap2.syn.session.version", "Version"),
  message = ProtoField.none("iap2.message", "Message"),
  message_length = ProtoField.uint16("iap2.message.length", "Length"),
  message_id = ProtoField.uint16("iap2.message.id", "Id", base.HEX),
  message_name = ProtoField.string("iap2.message.name", "Name"),
  message_fragment = ProtoField.bytes("iap2.message.fragment", "Part of a message, the rest is in a later packet"),
  parameter = ProtoField.none("iap2.parameter", "Parameter"),
  parameter_length = ProtoField.uint16("iap2.parameter.length", "Length"),
  parameter_id = ProtoField.uint16("iap2.parameter.id", "Id"),
  parameter_unknown = ProtoField.bytes("iap2.parameter.unknown", "Unknown parameter"),
  parameter_undecoded = ProtoField.bytes("iap2.parameter.undecoded", "Value that is not what its schema says"),
  ea_session = ProtoField.uint16("iap2.ea.session", "External accessory session"),
  ea_data = ProtoField.bytes("iap2.ea.data", "External accessory data"),
  file_id = ProtoField.uint8("iap2.file.id", "File"),
  file_operation = ProtoField.uint8("iap2.file.operation", "Operation", base.HEX, schema.file_operations),
  file_data = ProtoField.bytes("iap2.file.data", "File transfer data"),
}

local expert = {
  checksum = ProtoExpert.new("iap2.checksum.bad", "Checksum is wrong", expert.group.CHECKSUM, expert.severity.ERROR),
  undecoded = ProtoExpert.new(
    "iap2.undecoded.bad", "Bytes that could not be read", expert.group.MALFORMED, expert.severity.ERROR),
  session = ProtoExpert.new(
    "iap2.session.bad", "Session was not agreed", expert.group.PROTOCOL, expert.severity.WARN),
  parameter = ProtoExpert.new(
    "iap2.parameter.bad", "Parameter is not what its schema says", expert.group.MALFORMED, expert.severity.ERROR),
  retransmission = ProtoExpert.new(
    "iap2.retransmission.seen", "Packet was retransmitted", expert.group.SEQUENCE, expert.severity.NOTE),
}

-- Masks of the control bits, and a field for each.
local bit_mask = {}
local bit_fields = {}
for _, bit in ipairs(schema.control_bits) do
  bit_mask[bit.name] = bit.mask
  local name = "iap2.control." .. bit.name:lower()
  table.insert(bit_fields, ProtoField.bool(name, bit.name, 8, nil, bit.mask))
end

local session_type = {}
for number, name in pairs(schema.session_types) do session_type[name] = number end

local message_names = {}
for id, message in pairs(schema.messages) do message_names[id] = message.name end

-- The kind of field for a shape of the schema, and the bytes of one value if they are fixed.
local shapes = {
  u8 = { make = ProtoField.uint8, size = 1 },
  u16 = { make = ProtoField.uint16, size = 2 },
  u32 = { make = ProtoField.uint32, size = 4 },
  u64 = { make = ProtoField.uint64, size = 8 },
  i8 = { make = ProtoField.int8, size = 1 },
  i16 = { make = ProtoField.int16, size = 2 },
  i32 = { make = ProtoField.int32, size = 4 },
  i64 = { make = ProtoField.int64, size = 8 },
  enum = { make = ProtoField.uint8, size = 1 },
  bool = { make = ProtoField.bool, size = 1 },
  void = { make = ProtoField.none, size = 0 },
  blob = { make = ProtoField.bytes },
  utf8 = { make = ProtoField.string },
  group = { make = ProtoField.none },
}

local all_fields = {}
for _, one in pairs(field) do table.insert(all_fields, one) end
for _, one in ipairs(bit_fields) do table.insert(all_fields, one) end

-- Gives every row of the schema its field, and finds rows by id.
local function prepare(rows)
  for _, row in ipairs(rows) do
    local form = row
    while form do
      local make = shapes[form.shape].make
      if form.holds_message_ids then
        form.proto_field = make(form.field, row.name, base.HEX, message_names)
      elseif form.names then
        form.proto_field = make(form.field, row.name, base.DEC, form.names)
      else
        form.proto_field = make(form.field, row.name)
      end
      table.insert(all_fields, form.proto_field)
      form = form.other
    end
    if row.rows then prepare(row.rows) end
    rows.by_id = rows.by_id or {}
    rows.by_id[row.id] = row
  end
end
for _, message in pairs(schema.messages) do prepare(message.rows) end

iap2.fields = all_fields
local all_experts = {}
for _, one in pairs(expert) do table.insert(all_experts, one) end
iap2.experts = all_experts

-- Detects the unit at an offset of a byte stream. Offsets count from 0; the rules are those of `LinkScanner`.

local header_size = schema.header_byte_count

local function byte_at(bytes, at) return bytes:byte(at + 1) end

local function u16_at(bytes, at)
  local high, low = bytes:byte(at + 1, at + 2)
  return high * 256 + low
end

-- Returns the sum of bytes modulo 256, which is 0 if a checksum is correct.
local function sum(bytes, at, count)
  local total = 0
  for index = at + 1, at + count do total = total + bytes:byte(index) end
  return total % 256
end

local function scan_garbage(bytes, at)
  local next_start = bytes:find("[\255\085]", at + 2)
  return "garbage", (next_start and next_start - 1 or #bytes) - at
end

-- A frame of iAP1: `55`, length, the bytes, checksum. The detect sequence is such a frame.
local function scan_legacy(bytes, at, start)
  local available = #bytes - start
  if available < 2 then return "incomplete", start - at + 2 end
  local short = byte_at(bytes, start + 1)
  if short == 0 then return scan_garbage(bytes, at) end
  local total = short + 3
  local prefix = math.min(#bytes - at, #schema.detect)
  local could_be_detect = bytes:sub(at + 1, at + prefix) == schema.detect:sub(1, prefix)
  if available < total then
    if could_be_detect or total <= 16 then return "incomplete", start - at + total end
    return scan_garbage(bytes, at)
  end
  if sum(bytes, start + 1, total - 1) ~= 0 then return scan_garbage(bytes, at) end
  local size = start - at + total
  if could_be_detect and size == #schema.detect then return "detect", size end
  return "legacy", size
end

-- Returns the kind of the unit and its length; for "incomplete", the number of bytes needed from `at` on.
local function scan(bytes, at)
  local available = #bytes - at
  if available <= 0 then return "end", 0 end
  local first = byte_at(bytes, at)
  if first == 0x55 then return scan_legacy(bytes, at, at) end
  if first ~= 0xFF then return scan_garbage(bytes, at) end
  if available < 2 then return "incomplete", 2 end
  local second = byte_at(bytes, at + 1)
  if second == 0x55 then return scan_legacy(bytes, at, at + 1) end
  if second ~= 0x5A then return scan_garbage(bytes, at) end
  if available < header_size then return "incomplete", header_size end
  local length = u16_at(bytes, at + 2)
  if sum(bytes, at, header_size) ~= 0 then return "bad_header", length end
  if length < header_size then return "bad_length", length end
  if available < length then return "incomplete", length end
  if sum(bytes, at + header_size, length - header_size) ~= 0 then return "bad_payload", length end
  return "packet", length
end

-- Returns whether a damaged packet has a valid length: the bytes after it are a packet, or there are none.
local function is_isolated(bytes, at, length)
  local stop = at + length
  if length < header_size or stop > #bytes then return false end
  return stop == #bytes or bytes:find("^\255[\090\085]", stop + 1) ~= nil
end

-- Returns whether bytes begin in a way that only this protocol does.
local function begins(bytes)
  if bytes:sub(1, #schema.detect) == schema.detect then return true end
  return #bytes >= header_size and u16_at(bytes, 0) == 0xFF5A and sum(bytes, 0, header_size) == 0
    and u16_at(bytes, 2) >= header_size
end

-- Strict UTF-8: no surrogates and no overlong forms.
local function is_utf8(text)
  local at = 1
  while at <= #text do
    local first = text:byte(at)
    local more, lowest, highest = 0, 0x80, 0xBF
    if first >= 0xC2 and first <= 0xDF then
      more = 1
    elseif first >= 0xE0 and first <= 0xEF then
      more = 2
      if first == 0xE0 then lowest = 0xA0 elseif first == 0xED then highest = 0x9F end
    elseif first >= 0xF0 and first <= 0xF4 then
      more = 3
      if first == 0xF0 then lowest = 0x90 elseif first == 0xF4 then highest = 0x8F end
    elseif first > 0x7F then
      return false
    end
    for step = 1, more do
      local byte = text:byte(at + step)
      if not byte or byte < lowest or byte > highest then return false end
      lowest, highest = 0x80, 0xBF
    end
    at = at + 1 + more
  end
  return true
end

-- The state of the streams. Each record is read once, in order. Its findings are kept, because Wireshark dissects again
-- in any order. A stream holds at most one incomplete packet and one incomplete message.

local conversations = {}
local records = {}

local function new_stream()
  return { pieces = {}, held = 0, wanted = 0, collected = "", seen = {} }
end

-- A stream and its conversation, by the names of both ends.
local function open_stream(place)
  local conversation = conversations[place.conversation]
  if not conversation then
    conversation = { streams = {}, side = {} }
    conversations[place.conversation] = conversation
  end
  local stream = conversation.streams[place.stream]
  if not stream then
    stream = new_stream()
    conversation.streams[place.stream] = stream
  end
  return conversation, stream
end

local function is_known(place)
  local conversation = conversations[place.conversation]
  return conversation ~= nil and conversation.streams[place.stream] ~= nil
end

local function other_side(side) return side == schema.accessory and schema.device or schema.accessory end

-- Returns the sender of this stream: from the capture, or inferred from the contents.
local function side_of(conversation, place)
  if place.side then return place.side end
  if conversation.side[place.stream] then return conversation.side[place.stream] end
  for _, side in pairs(conversation.side) do return other_side(side) end
end

local function learn_side(conversation, place, side)
  if not side_of(conversation, place) then conversation.side[place.stream] = side end
end

-- Returns false for a packet that was received before, within half of the number space.
local function is_new(stream, sequence)
  local ahead = stream.furthest and (sequence - stream.furthest) % 256 or 0
  local is_ahead = ahead >= 1 and ahead <= 127
  if is_ahead then
    for step = 1, ahead do stream.seen[(stream.furthest + step) % 256] = nil end
  end
  if is_ahead or not stream.furthest then stream.furthest = sequence end
  if stream.seen[sequence] then return false end
  stream.seen[sequence] = true
  return true
end

local function start_over(stream)
  stream.seen = {}
  stream.furthest = nil
  stream.collected = ""
end

local function has_bit(control, name)
  local mask = bit_mask[name]
  return control % (mask * 2) >= mask
end

-- Cuts messages out of the collected bytes and this payload. A message that is complete in this record's bytes is given
-- by its offset there, any other by its bytes.
local function cut_messages(conversation, stream, place, packet, payload)
  local first = #stream.collected > 0 and stream.collected_in or nil
  local before = #stream.collected
  local bytes = stream.collected .. payload
  local at = 0
  local function tell(kind, size)
    local part = { kind = kind }
    if at >= before then
      part.at = packet.at + header_size + at - before
      part.length = size
    else
      part.bytes = bytes:sub(at + 1, at + size)
      part.first_record = first
    end
    table.insert(packet.parts, part)
  end
  stream.collected = ""
  while at < #bytes do
    local left = #bytes - at
    if bytes:byte(at + 1) ~= 0x40 or (left > 1 and bytes:byte(at + 2) ~= 0x40) then
      return tell("stray", left)
    end
    local length = left >= schema.message_header_byte_count and u16_at(bytes, at + 2)
    if length and length < schema.message_header_byte_count then return tell("stray", left) end
    if not length or left < length then
      if at >= before then
        stream.collected_in = place.number
        tell("start", left)
      else
        stream.collected_in = first
        packet.continues = true
      end
      stream.collected = bytes:sub(at + 1)
      return
    end
    local known = schema.messages[u16_at(bytes, at + 4)]
    if known then learn_side(conversation, place, known.sender) end
    tell("message", length)
    at = at + length
  end
end

local function read_synchronization(conversation, stream, packet, payload)
  start_over(stream)
  local entries = #payload - schema.synchronization_byte_count
  packet.has_synchronization = entries >= 0 and entries % schema.session_byte_count == 0
    and entries / schema.session_byte_count <= 255
  if not packet.has_synchronization then return end
  conversation.sessions = {}
  for at = schema.synchronization_byte_count, #payload - 1, schema.session_byte_count do
    local id, type = byte_at(payload, at), byte_at(payload, at + 1)
    conversation.sessions[id] = conversation.sessions[id] or type
  end
end

-- Reads the contents of a complete packet.
local function read_packet(conversation, stream, place, packet, bytes)
  local control, sequence, _, session = bytes:byte(packet.at + 5, packet.at + 8)
  local payload = bytes:sub(packet.at + header_size + 1, packet.at + packet.length - 1)
  if has_bit(control, "SYN") then
    learn_side(conversation, place, has_bit(control, "ACK") and schema.device or schema.accessory)
    return read_synchronization(conversation, stream, packet, payload)
  end
  if has_bit(control, "RST") then return start_over(stream) end
  if #payload == 0 then return end
  if has_bit(control, "EAK") then
    packet.is_missing_list = true
    return
  end
  if not is_new(stream, sequence) then
    packet.is_repeated = true
    return
  end
  if conversation.sessions then
    packet.session_type = conversation.sessions[session]
    packet.is_unagreed = packet.session_type == nil
  elseif #stream.collected > 0 or payload:sub(1, 2) == "@@" then
    packet.session_type = session_type.control
  end
  if packet.session_type == session_type.control then
    cut_messages(conversation, stream, place, packet, payload)
  end
end

-- Reads the units in the bytes one after another; an incomplete unit at the end is kept in the stream.
local function read_bytes(conversation, stream, place, bytes)
  local found = {}
  local at = 0
  local function add(kind, length, more)
    local item = more or {}
    item.kind, item.at, item.length = kind, at, length
    table.insert(found, item)
    return item
  end
  local function add_damage(text, length)
    local last = found[#found]
    if last and last.text == text and last.at + last.length == at then
      last.length = last.length + length
    else
      add("damage", length, { text = text })
    end
  end
  while true do
    local kind, size = scan(bytes, at)
    if kind == "end" then break end
    if kind == "incomplete" then
      add("fragment", #bytes - at)
      stream.pieces, stream.held, stream.wanted = { bytes:sub(at + 1) }, #bytes - at, size
      break
    end
    local step = size
    if kind == "packet" then
      local packet = add("packet", size, { header_is_right = true, payload_is_right = true, parts = {} })
      read_packet(conversation, stream, place, packet, bytes)
    elseif kind == "bad_payload" then
      add("packet", size, { header_is_right = true, payload_is_right = false, parts = {} })
      -- After a wrong length no unit follows, so packets may be inside.
      if not is_isolated(bytes, at, size) then step = header_size end
    elseif kind == "bad_header" and is_isolated(bytes, at, size) then
      local is_right = sum(bytes, at + header_size, size - header_size) == 0
      add("packet", size, { header_is_right = false, payload_is_right = is_right, parts = {} })
    elseif kind == "bad_header" or kind == "bad_length" then
      step = 1
      add_damage("bytes that are no packet", step)
    elseif kind == "garbage" then
      add_damage("bytes that are no packet", step)
    elseif kind == "legacy" then
      add_damage("iAP1 frame", step)
    else
      add(kind, step)
    end
    at = at + step
  end
  return found
end

-- Reads one record; returns the findings, and the earlier bytes that belong to it.
--
-- `is_stream` is true if another dissector reassembles packets, as TCP does.
local function read_record(place, bytes, is_stream)
  local conversation, stream = open_stream(place)
  if stream.held > 0 and stream.held + #bytes < stream.wanted then
    table.insert(stream.pieces, bytes)
    stream.held = stream.held + #bytes
    local waiting = { kind = "fragment", at = 0, length = #bytes }
    return { found = { waiting }, from = side_of(conversation, place), first_record = stream.held_in }
  end
  local prefix = table.concat(stream.pieces)
  local first = stream.held > 0 and stream.held_in or nil
  stream.pieces, stream.held, stream.wanted = {}, 0, 0
  local found = read_bytes(conversation, stream, place, prefix .. bytes)
  local record = { found = found, from = side_of(conversation, place), first_record = first }
  if #prefix > 0 then record.prefix = prefix end
  if stream.held > 0 then
    if is_stream then
      -- Before the length of a packet is known, TCP must not get a number that may be too small.
      record.wanted = stream.held < header_size and DESEGMENT_ONE_MORE_SEGMENT or stream.wanted - stream.held
      record.rest = stream.held
      stream.pieces, stream.held, stream.wanted = {}, 0, 0
      table.remove(found)
    elseif stream.held <= #bytes then
      stream.held_in = place.number
    end
  end
  return record
end

-- Forgets a packet that cannot be completed, because some of its bytes were not captured.
local function break_stream(place)
  local _, stream = open_stream(place)
  stream.pieces, stream.held, stream.wanted = {}, 0, 0
end

function iap2.init()
  conversations = {}
  records = {}
end

-- Control messages: every parameter is shown by its name in the schema; none is dropped or merged.

local show_parameters

-- Adds one value; returns false if the bytes do not have this shape. Groups are walked with the rows they name.
local function show_value(tree, bytes, at, size, form)
  local shape = shapes[form.shape]
  local value = bytes(at, size)
  if form.packed or (form.joins and size > shape.size and size % shape.size == 0) then
    if size % shape.size ~= 0 then return false end
    for offset = at, at + size - 1, shape.size do tree:add(form.proto_field, bytes(offset, shape.size)) end
    return true, size / shape.size .. " values"
  end
  if shape.size and size ~= shape.size then return false end
  if form.shape == "utf8" then
    local text = bytes:raw(at, size)
    if not is_utf8(text) then return false end
    return true, tree:add(form.proto_field, value, text).text
  end
  if form.shape ~= "group" then return true, tree:add(form.proto_field, value).text end
  show_parameters(tree:add(form.proto_field, value), bytes, at, at + size, form.rows)
  return true
end

-- Adds one parameter, whose header is valid.
local function show_parameter(tree, bytes, at, length, row)
  local item = tree:add(field.parameter, bytes(at, length))
  item:add(field.parameter_length, bytes(at, 2))
  item:add(field.parameter_id, bytes(at + 2, 2))
  local size = length - 4
  if not row then
    item:add(field.parameter_unknown, bytes(at + 4, size))
    item:set_text("Unknown parameter " .. bytes(at + 2, 2):uint())
    return
  end
  local form = row
  local is_shown, text = show_value(item, bytes, at + 4, size, form)
  while not is_shown and form.other do
    form = form.other
    is_shown, text = show_value(item, bytes, at + 4, size, form)
  end
  if is_shown then
    if text and text:sub(1, #row.name) ~= row.name then text = row.name .. ": " .. text end
    item:set_text((text or row.name) .. (row.unit and " " .. row.unit or ""))
  else
    item:add(field.parameter_undecoded, bytes(at + 4, size))
    item:set_text(row.name .. " is not what its schema says")
    item:add_proto_expert_info(expert.parameter)
  end
end

function show_parameters(tree, bytes, at, stop, rows)
  while at < stop do
    local left = stop - at
    local length = left >= 4 and bytes(at, 2):uint() or 0
    if left < 4 then
      tree:add(field.undecoded, bytes(at, left)):add_proto_expert_info(
        expert.parameter, "Bytes that are too few for a parameter")
      return
    end
    local row = rows.by_id and rows.by_id[bytes(at + 2, 2):uint()]
    if length < 4 or length > left then
      local item = tree:add(field.parameter, bytes(at, left))
      item:add(field.parameter_length, bytes(at, 2))
      item:add(field.parameter_id, bytes(at + 2, 2))
      item:add(field.parameter_undecoded, bytes(at + 4, left - 4))
      item:set_text((row and row.name or "Unknown parameter") .. " ends before its length")
      item:add_proto_expert_info(expert.parameter, "The length of a parameter is impossible")
      return
    end
    show_parameter(tree, bytes, at, length, row)
    at = at + length
  end
end

-- Adds a complete message and returns its name.
local function show_message(tree, bytes, at, length)
  local id = bytes(at + 4, 2):uint()
  local known = schema.messages[id]
  local name = known and known.name or "unknown message"
  local item = tree:add(field.message, bytes(at, length))
  item:set_text(string.format("%s 0x%04X", name, id))
  item:add(field.message_length, bytes(at + 2, 2))
  item:add(field.message_id, bytes(at + 4, 2))
  if known then item:add(field.message_name, name):set_generated() end
  show_parameters(item, bytes, at + schema.message_header_byte_count, at + length, known and known.rows or {})
  return string.format("%s 0x%04X", name, id)
end

-- A record in Wireshark's tree and columns.

local function show_messages(tree, bytes, packet, said)
  for _, part in ipairs(packet.parts) do
    local from, at, length = bytes, part.at, part.length
    if part.bytes then
      from, at, length = ByteArray.new(part.bytes, true):tvb("Reassembled iAP2 message"), 0, #part.bytes
    end
    if part.first_record then
      tree:add(field.first_record, part.first_record):set_generated()
    end
    if part.kind == "message" then
      table.insert(said, show_message(tree, from, at, length))
    elseif part.kind == "start" then
      tree:add(field.message_fragment, from(at, length))
      table.insert(said, "start of a message")
    else
      tree:add(field.undecoded, from(at, length)):add_proto_expert_info(
        expert.undecoded, "Bytes of the control session that are no message")
      table.insert(said, "no message")
    end
  end
end

local function show_synchronization(tree, bytes, at, size, packet)
  if not packet.has_synchronization then
    tree:add(field.undecoded, bytes(at, size)):add_proto_expert_info(
      expert.undecoded, "Synchronization payload that is not ten bytes and whole session entries")
    return
  end
  local item = tree:add(field.syn, bytes(at, size))
  item:add(field.syn_version, bytes(at, 1))
  item:add(field.syn_max_outstanding, bytes(at + 1, 1))
  item:add(field.syn_max_length, bytes(at + 2, 2))
  item:add(field.syn_retransmission, bytes(at + 4, 2))
  item:add(field.syn_cumulative_ack, bytes(at + 6, 2))
  item:add(field.syn_max_retransmissions, bytes(at + 8, 1))
  item:add(field.syn_max_acks, bytes(at + 9, 1))
  for place = at + schema.synchronization_byte_count, at + size - 1, schema.session_byte_count do
    local entry = item:add(field.syn_session, bytes(place, schema.session_byte_count))
    entry:add(field.syn_session_id, bytes(place, 1))
    entry:add(field.syn_session_type, bytes(place + 1, 1))
    entry:add(field.syn_session_version, bytes(place + 2, 1))
    local type = bytes(place + 1, 1):uint()
    local name = schema.session_types[type] or "type " .. type
    entry:set_text(string.format("Session %d: %s", bytes(place, 1):uint(), name))
  end
end

-- External accessory and file transfer: a prefix of two bytes, then data.
local function show_datagram(tree, bytes, at, size, packet, said)
  if size < 2 then
    tree:add(field.undecoded, bytes(at, size)):add_proto_expert_info(
      expert.undecoded, "Datagram shorter than its prefix")
    return
  end
  if packet.session_type == session_type.externalAccessory then
    tree:add(field.ea_session, bytes(at, 2))
    tree:add(field.ea_data, bytes(at + 2, size - 2))
    table.insert(said, string.format("external accessory session %d: %d bytes", bytes(at, 2):uint(), size - 2))
  else
    tree:add(field.file_id, bytes(at, 1))
    tree:add(field.file_operation, bytes(at + 1, 1))
    tree:add(field.file_data, bytes(at + 2, size - 2))
    local operation = bytes(at + 1, 1):uint()
    local name = schema.file_operations[operation] or string.format("operation 0x%02X", operation)
    table.insert(said, string.format("file %d %s: %d bytes", bytes(at, 1):uint(), name, size - 2))
  end
end

local function show_payload(tree, bytes, packet, said)
  local at = packet.at + header_size
  local size = math.max(packet.length - header_size - 1, 0)
  if packet.has_synchronization ~= nil then
    show_synchronization(tree, bytes, at, size, packet)
  elseif packet.is_missing_list then
    for place = at, at + size - 1 do tree:add(field.missing, bytes(place, 1)) end
  elseif packet.is_repeated then
    tree:add(field.retransmission, true):set_generated():add_proto_expert_info(expert.retransmission)
    table.insert(said, "retransmitted")
  elseif packet.is_unagreed then
    tree:add_proto_expert_info(expert.session)
  elseif packet.session_type == session_type.control then
    show_messages(tree, bytes, packet, said)
    if packet.continues then
      tree:add(field.message_fragment, bytes(at, size))
      table.insert(said, "part of a message")
    end
  elseif packet.session_type == session_type.externalAccessory or packet.session_type == session_type.fileTransfer then
    show_datagram(tree, bytes, at, size, packet, said)
  elseif packet.session_type then
    tree:add_proto_expert_info(expert.session, "Session has an unknown type")
  end
end

-- Shows a checksum and whether it is correct.
local function show_checksum(tree, value_field, state_field, byte, is_right)
  local item = tree:add(value_field, byte)
  item:add(state_field, is_right and schema.valid or schema.invalid):set_generated()
  if not is_right then item:add_proto_expert_info(expert.checksum) end
end

local function show_packet(tree, bytes, packet)
  local at = packet.at
  local item = tree:add(field.packet, bytes(at, packet.length))
  item:add(field.length, bytes(at + 2, 2))
  local control = item:add(field.control, bytes(at + 4, 1))
  local names = {}
  for index, bit in ipairs(schema.control_bits) do
    control:add(bit_fields[index], bytes(at + 4, 1))
    if has_bit(bytes(at + 4, 1):uint(), bit.name) then table.insert(names, bit.name) end
  end
  local bits = table.concat(names, "+")
  control:append_text(" (" .. bits .. ")")
  item:add(field.sequence, bytes(at + 5, 1))
  item:add(field.acknowledgement, bytes(at + 6, 1))
  item:add(field.session, bytes(at + 7, 1))
  if packet.session_type then
    item:add(field.session_type, packet.session_type):set_generated()
  end
  show_checksum(item, field.header_checksum, field.header_state, bytes(at + 8, 1), packet.header_is_right)
  local said = { string.format("%s seq %d ack %d", bits, bytes(at + 5, 1):uint(), bytes(at + 6, 1):uint()) }
  item:set_text(string.format("Packet: %s session %d, %d bytes", said[1], bytes(at + 7, 1):uint(), packet.length))
  show_payload(item, bytes, packet, said)
  if packet.length > header_size then
    show_checksum(
      item, field.payload_checksum, field.payload_state, bytes(at + packet.length - 1, 1), packet.payload_is_right)
  end
  if not (packet.header_is_right and packet.payload_is_right) then table.insert(said, "CHECKSUM WRONG") end
  return table.concat(said, ", ")
end

-- Shows one record under the protocol's name, and its line in the list of packets.
local function show_record(tree, tvb, pinfo, record)
  local bytes = tvb
  if record.prefix then
    bytes = ByteArray.new(record.prefix .. tvb:raw(), true):tvb("Reassembled iAP2 packets")
  end
  local root = tree:add(iap2, bytes())
  if record.from then root:add(field.from, record.from):set_generated() end
  if record.first_record then root:add(field.first_record, record.first_record):set_generated() end
  local said = {}
  for _, found in ipairs(record.found) do
    local range = bytes(found.at, found.length)
    if found.kind == "packet" then
      table.insert(said, show_packet(root, bytes, found))
    elseif found.kind == "detect" then
      root:add(field.detect, range)
      table.insert(said, "detect")
    elseif found.kind == "damage" then
      local text = string.format("%s: %d bytes", found.text, found.length)
      root:add(field.undecoded, range):add_proto_expert_info(expert.undecoded, text)
      table.insert(said, text)
    else
      root:add(field.fragment, range)
      table.insert(said, "part of a packet")
    end
  end
  pinfo.cols.protocol = "iAP2"
  pinfo.cols.info = (record.from and record.from .. ": " or "") .. table.concat(said, "; ")
end

-- The transports of the bytes: captures of `iap2`, USB, Bluetooth, TCP.

iap2.prefs.tcp = Pref.bool("Recognize iAP2 in TCP", false, "Look for iAP2 at the start of TCP streams of any port")

-- A Bluetooth link and its channel. Its ends may have no addresses, or get them later.
local bluetooth_link = Field.new("bthci_acl.chandle")
local bluetooth_channel = Field.new("btrfcomm.dlci")

-- Returns the names of both ends. A USB device is one end with all its endpoints; the host is the other.
local function place_of(pinfo)
  local source = tostring(pinfo.src) .. " " .. pinfo.src_port
  local target = tostring(pinfo.dst) .. " " .. pinfo.dst_port
  local link, number = bluetooth_link(), bluetooth_channel()
  local channel = link and number and string.format(" link %s channel %s", link, number) or ""
  local place = { number = pinfo.number, stream = source .. " > " .. target .. channel }
  local device = tostring(pinfo.src) == "host" and tostring(pinfo.dst) or tostring(pinfo.src)
  if tostring(pinfo.src) == "host" or tostring(pinfo.dst) == "host" then
    place.conversation = device:gsub("%.%d+$", "")
  elseif source < target then
    place.conversation = source .. " " .. target .. channel
  else
    place.conversation = target .. " " .. source .. channel
  end
  return place
end

-- Shows the bytes, which are read at the first pass; returns 0 if they were not accepted then.
local function dissect(tvb, pinfo, tree, place)
  -- A frame of TCP may hold two pieces of a stream.
  local key = table.concat({ place.number, tvb:len(), tvb:offset() }, " ")
  local record = records[key]
  if not record then
    if pinfo.visited then return 0 end
    record = read_record(place, tvb:raw(), pinfo.can_desegment > 0)
    records[key] = record
    if tvb:reported_len() > tvb:len() then break_stream(place) end
  end
  if record.wanted and pinfo.can_desegment > 0 then
    pinfo.desegment_offset = tvb:len() - record.rest
    pinfo.desegment_len = record.wanted
    if #record.found == 0 then return tvb:len() end
  end
  show_record(tree, tvb, pinfo, record)
  return tvb:len()
end

-- On transports that other protocols also use, a stream must begin like iAP2.
function iap2.dissector(tvb, pinfo, tree)
  if tvb:len() == 0 then return 0 end
  local place = place_of(pinfo)
  if not pinfo.visited and not is_known(place) and not begins(tvb:raw()) then return 0 end
  return dissect(tvb, pinfo, tree, place)
end

local function recognize(tvb, pinfo, tree) return iap2.dissector(tvb, pinfo, tree) > 0 end

local record_field = {
  version = ProtoField.uint8("iap2_record.version", "Version"),
  sender = ProtoField.uint8("iap2_record.sender", "Sender", base.DEC, { [0] = schema.accessory, schema.device }),
}
iap2_record.fields = { record_field.version, record_field.sender }

-- Version 1, sender, number of the connection u16; then the bytes of one write to the transport.
function iap2_record.dissector(tvb, pinfo, tree)
  if tvb:len() < 4 or tvb(0, 1):uint() ~= 1 or tvb(1, 1):uint() > 1 then return 0 end
  local head = tree:add(iap2_record, tvb(0, 4))
  head:add(record_field.version, tvb(0, 1))
  head:add(record_field.sender, tvb(1, 1))
  head:add(field.connection, tvb(2, 2))
  local side = tvb(1, 1):uint() == 0 and schema.accessory or schema.device
  local connection = "connection " .. tvb(2, 2):uint()
  if tvb:len() > 4 then
    local place = { number = pinfo.number, conversation = connection, stream = side, side = side }
    dissect(tvb(4):tvb(), pinfo, tree, place)
  end
  return tvb:len()
end

DissectorTable.get("wtap_encap"):add((wtap_encaps or wtap).USER10, iap2_record)

DissectorTable.get("usb.bulk"):add(0xFF, iap2)
iap2:register_heuristic("usb.bulk", recognize)

-- RFCOMM has no heuristic dissectors, so every channel is examined and may be left.
for channel = 2, 61 do DissectorTable.get("btrfcomm.dlci"):add(channel, iap2) end

DissectorTable.get("tcp.port"):add_for_decode_as(iap2)
iap2:register_heuristic("tcp", function(tvb, pinfo, tree)
  if not iap2.prefs.tcp or not recognize(tvb, pinfo, tree) then return false end
  pinfo.conversation = iap2
  return true
end)
