import Model

struct IndonesianPhrases: Phrasebook {
    func trigger(_ trigger: EmergencyTrigger) -> String {
        switch trigger {
        case .panic: "tombol panik"
        case .shake: "ponsel diguncang"
        case .fall: "terjatuh"
        case .crash: "kecelakaan"
        case .noMotion: "tidak ada gerakan"
        case .watchExpired: "pemantauan habis tanpa jawaban"
        case .lostContact: "kontak terputus"
        case .sms: "lewat SMS"
        }
    }

    func ago(days: Int64, hours: Int64, minutes: Int64) -> String {
        if days > 0 { return "\(days) hari \(hours) jam lalu" }
        return hours > 0 ? "\(hours) jam \(minutes) menit lalu" : "\(minutes) menit lalu"
    }

    func repetition(_ repetition: Repetition) -> String? {
        switch repetition {
        case .first: nil
        case .unanswered: "BELUM ADA JAWABAN"
        case .pressedAgain: "DITEKAN LAGI"
        case .another: "ALARM LAIN"
        case .record: "Baru diketahui sekarang"
        }
    }

    func certainty(metres: Int?, taken: String) -> String {
        metres.map { "dalam \($0) m, \(taken)" } ?? "akurasi tidak diketahui, \(taken)"
    }

    func late(due: String, until: String) -> String {
        "Seharusnya pada \(due), server kami mati sampai \(until)"
    }
    var noPosition: String { "Posisi tidak diketahui" }
    var positionNotShared: String { "Posisi tidak dibagikan" }
    func inZone(_ zone: String, at: String) -> String { "Di \(zone), \(at)" }
    func position(_ coordinates: String) -> String { "Posisi \(coordinates)" }
    func battery(_ percent: UInt8) -> String { "Baterai \(percent)%" }
    func note(_ note: String) -> String { "Catatan: \(note)" }
    func takeIt(reference: String) -> String { "Tangani di Jaga, ref \(reference)" }
    func takeItByReply(reference: String) -> String { "Atau balas OK \(reference)" }
    func reference(_ reference: String) -> String { "Ref \(reference)" }
    func because(circle: String) -> String { "Anda diberi tahu sebagai anggota \(circle)" }

    func zone(_ what: ZoneSaying, who: String, zone: String, at: String) -> String {
        let sentence =
            switch what {
            case .entered: "\(who) tiba di \(zone)"
            case .left: "\(who) keluar dari \(zone)"
            case .near: "\(who) berada di dekat \(zone)"
            case .stays: "\(who) masih berada di \(zone)"
            case .staysUnseen(let minutes):
                "\(who) masih berada di \(zone) menurut posisi terakhir, \(minutes) menit lalu"
            case .passedThrough: "\(who) melewati \(zone)"
            case .alertEntered: "PERINGATAN \(who) memasuki \(zone)"
            case .alertNear: "PERINGATAN \(who) berada di dekat \(zone)"
            case .alertInside: "PERINGATAN \(who) berada di \(zone)"
            case .alertLeft: "Selesai: \(who) keluar dari \(zone)"
            case .alertOver: "Selesai: alarm \(zone) untuk \(who)"
            }
        return "\(sentence), \(at)"
    }

    func absent(who: String, zone: String, by: String) -> String {
        "\(who) tidak ada di \(zone) pukul \(by)"
    }

    func noContact(who: String, zone: String, by: String, since: String?) -> String {
        "\(who): tidak ada kontak\(since.map { " sejak \($0)" } ?? "") (\(zone), \(by))"
    }

    func ownAlarm(zone: String, near: Bool, at: String) -> String {
        "PERINGATAN: Anda berada di \(near ? "dekat " : "")\(zone), \(at)"
    }

    func taken(who: String, by: String?) -> String {
        "\(by ?? "Operator") menangani keadaan darurat \(who)"
    }

    func takenElsewhere(who: String, by: String?) -> String {
        "\(by ?? "Operator") dari grup lain menangani darurat \(who)."
            + " Grup Anda ditanya sampai ada yang menanggapi"
    }

    func cancelled(who: String) -> String { "Darurat berakhir: dibatalkan oleh \(who)" }

    func resolved(who: String, by: String?) -> String {
        "Darurat \(who) berakhir: diselesaikan oleh \(by ?? "operator")"
    }

    func endedElsewhere(who: String, by: String?, circles: String) -> String {
        "\(by ?? "Operator") mengakhiri darurat \(who) untuk \(circles)."
            + " Bagi Anda darurat berlanjut"
    }

    func ownEnded(by: String?, circles: String?) -> String {
        "\(by ?? "Operator") mengakhiri darurat Anda\(circles.map { " untuk \($0)" } ?? "")."
            + " Benar?"
    }

    func ownEndedAnswer(goesOn: Bool) -> [String] {
        guard goesOn else { return ["Jika masih butuh bantuan, panggil lagi"] }
        return [
            "Jika benar, pastikan di Jaga",
            "Sampai saat itu lingkaran Anda yang lain tetap siaga",
        ]
    }

    func holderAsked(who: String, minutes: Int64) -> String {
        "Masih menangani darurat \(who)? Pastikan di Jaga dalam \(minutes) menit,"
            + " jika tidak yang lain diberi tahu lagi"
    }

    func ownTaken(by: String?) -> String { "\(by ?? "Operator") menangani keadaan darurat Anda" }

    func ownNobodyYet(number: String) -> String {
        "Belum ada yang terhubung, kami terus mencoba. Jika bisa, hubungi \(number)"
    }

    func watchReminder(deadline: String) -> String {
        "Apakah Anda baik-baik saja? Pemantauan Anda berakhir pukul \(deadline): akhiri atau"
            + " perpanjang di Jaga, jika tidak lingkaran Anda diberi tahu"
    }

    func fired(_ transition: Transition, zones: String) -> String {
        switch transition {
        case .enter: zones
        case .exit: "keluar dari \(zones)"
        case .approach: "dekat \(zones)"
        case .dwell: "masih di \(zones)"
        case .cross: "melewati \(zones)"
        case .absent: "tidak ada di \(zones)"
        }
    }

    func allRight(since: String, alarmed: String?) -> String {
        "Apakah Anda baik-baik saja? Ponsel Anda diam sejak \(since): jawab di Jaga"
            + (alarmed.map { ", jika tidak lingkaran Anda diberi tahu pukul \($0)" } ?? "")
    }

    var allRightByReply: String { "Atau balas OK" }

    func contactLost(who: String, since: String) -> String {
        "Tidak ada kontak dengan \(who) sejak \(since), dan tidak ada jawaban"
    }

    func contactRestored(who: String) -> String { "Kontak dengan \(who) pulih" }
    func ownBattery(_ percent: UInt8) -> String { "Baterai ponsel Anda tinggal \(percent)%" }

    func ownBlind(_ cause: String) -> String { "Ponsel Anda mungkin diam: \(cause)" }

    func blind(who: String, _ cause: String) -> String {
        "Ponsel \(who) mungkin diam: \(cause)"
    }

    func hindrance(_ hindrance: Hindrance) -> String {
        switch hindrance {
        case .locationPermission: "aplikasi tidak punya izin lokasi"
        case .approximateLocation: "lokasi hanya perkiraan"
        case .batteryOptimisation: "penghemat baterai menghentikan aplikasi"
        case .powerSave: "ponsel menghemat baterai"
        case .hibernation: "sistem menidurkan aplikasi"
        case .backgroundRefresh: "aplikasi tidak boleh berjalan di latar belakang"
        case .signedOut: "aplikasi telah keluar dari akun"
        case .undecryptable: "Jaga tidak bisa membuka enkripsinya, kuncinya lain"
        }
    }

    func sender(_ who: String) -> String { "Dari \(who) lewat Jaga, STOP untuk berhenti" }

    var somebody: String { "Seseorang" }

    func invitation(who: String, code: String) -> String {
        "\(who) ingin mengirim pesan kepada Anda. Jika setuju, beri tahu kode Anda \(code)"
    }

    var refusal: String { "Jika tidak, abaikan atau balas STOP" }

    func zoneFile(who: String, file: String) -> String {
        "\(who) mengirim zona kepada Anda dalam berkas \(file)"
    }

    var preview: String { "Periksa zona itu di Jaga sebelum menerimanya" }

    func yours(who: String) -> String {
        "Anda menangani alarm \(who). Yang lain diberi tahu"
    }

    func referenceNeeded(who: String, reference: String) -> String {
        "Untuk menangani alarm \(who), balas OK \(reference)"
    }

    var confirmInApp: String {
        "SMS tidak mengakhiri darurat Anda. Pastikan di Jaga bahwa darurat telah berakhir"
    }

    var helpComes: String { "SOS Anda telah diterima, lingkaran Anda sedang diberi tahu" }
    var stopped: String {
        "Tidak ada lagi kabar zona ke nomor ini, hanya keadaan darurat. START mengizinkannya lagi"
    }
    var started: String { "Kabar zona boleh dikirim ke nomor ini lagi" }

    func test(gateway: String) -> String { "Ini uji coba \(gateway). Semua baik" }
}
