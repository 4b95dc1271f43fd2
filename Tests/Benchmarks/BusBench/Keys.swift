import Bus
import Runtime

extension Options {
    /// Keys of a role in the home folder given by `--home`, generated if missing; nil without
    /// `--home`.
    func security(_ role: BusRole) throws -> BusSecurity? {
        guard !self["home"].isEmpty else { return nil }
        let settings = try Configuration(
            settings: BusSecurity.settings, environment: ["JAGA_HOME": self["home"]])
        let folder = BusSecurity.folder(settings)
        if folder.existing.isEmpty { try folder.generateOnce() }
        return try BusSecurity.read(settings, role: role)
    }
}
