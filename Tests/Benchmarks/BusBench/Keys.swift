import Bus
import Runtime

extension Options {
    /// The keys of a role in the home folder that `--home` names, made if there are none; nil
    /// without it.
    func security(_ role: BusRole) throws -> BusSecurity? {
        guard !self["home"].isEmpty else { return nil }
        let settings = try Configuration(
            settings: BusSecurity.settings, environment: ["JAGA_HOME": self["home"]])
        let folder = BusSecurity.folder(settings)
        if folder.existing.isEmpty { try folder.makeOnce() }
        return try BusSecurity.read(settings, role: role)
    }
}
