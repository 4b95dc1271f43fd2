import Model
import Parsing

/// Fields of a device that a request sets.
public typealias DevicePatch = Patch<Device>

/// The table of a device's fields. Bodies, patches and views derive from it.
public enum DeviceField {
    public static let all: [Field<Device>] = [
        .text("name", \.name, charactersMax: Limits.nameCharactersMax),
        .choice("platform", \.platform),
        .text(
            "client", \.client, charactersMax: Limits.clientCharactersMax, emptyAllowed: true),
    ]
}
