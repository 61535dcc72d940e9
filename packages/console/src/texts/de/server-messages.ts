import type { serverMessages as English } from '../en/server-messages.ts';

export const serverMessages: typeof English = {
  'You do not have permission to do this': 'Dazu fehlt Ihnen die Berechtigung',
  'The built-in administrator cannot be deleted': 'Der eingebaute Administrator kann nicht gelöscht werden',
  'the user is not an Admin': 'Der Benutzer ist kein Administrator',
  'invalid application code': 'Der App-Code ist falsch',
  'The application code is missing': 'Der App-Code fehlt',
  'An asset with this name already exists': 'Ein Asset mit diesem Namen gibt es schon',
  'An asset name must be 1 to 128 letters, digits, ".", "_" or "-"':
    'Ein Asset-Name besteht aus 1 bis 128 Buchstaben, Ziffern, „.“, „_“ oder „-“',
  'The asset has no file': 'Das Asset hat keine Datei',
  'Asset not found': 'Asset nicht gefunden',
  'The challenge is unknown, used up or has expired: log in again':
    'Die Anmeldung ist abgelaufen oder wurde schon verwendet: Melden Sie sich erneut an',
  'The code is wrong or has been used': 'Der Code ist falsch oder wurde schon verwendet',
  'Confirm the e-mail address of this account first: check your inbox':
    'Bestätigen Sie zuerst die E-Mail-Adresse dieses Kontos: Sehen Sie in Ihrem Postfach nach',
  'This needs a recent login: log in again, or send the password as current_password':
    'Dafür ist eine frische Anmeldung nötig: Melden Sie sich erneut an',
  'Invalid username or password': 'Benutzername oder Passwort ist falsch',
  'Account temporarily locked after too many wrong passwords or codes: try again later, or use a device that has logged in before':
    'Das Konto ist nach zu vielen falschen Passwörtern oder Codes vorübergehend gesperrt: Versuchen Sie es später erneut, oder verwenden Sie ein Gerät, auf dem Sie schon angemeldet waren',
  'This way to log in is disabled': 'Diese Art der Anmeldung ist abgeschaltet',
  'Authentication required: send a session token or Basic credentials': 'Melden Sie sich an',
  'Two-factor authentication is required: send a code':
    'Zwei-Faktor-Authentifizierung ist nötig: Geben Sie einen Code ein',
  'A backup or a restore is already running: wait for its end':
    'Eine Sicherung oder Wiederherstellung läuft schon: Warten Sie, bis sie fertig ist',
  'This is not an archive that this version can restore': 'Dieses Archiv kann diese Version nicht wiederherstellen',
  'The server has data: an archive can only be restored into a new one':
    'Der Server enthält Daten: Ein Archiv kann nur auf einem neuen Server wiederhergestellt werden',
  'Backup not found': 'Sicherung nicht gefunden',
  'The server has no place for backups: set BACKUP_URL':
    'Der Server hat keinen Ort für Sicherungen: Setzen Sie BACKUP_URL',
  'This server does not support this with backups': 'Das kann dieser Server mit Sicherungen nicht tun',
  'The blob store rejects the configuration of the server': 'Der Dateispeicher lehnt die Konfiguration des Servers ab',
  'The bytes of this file are missing from the blob store': 'Der Inhalt dieser Datei fehlt im Dateispeicher',
  'The blob store is unavailable: try again shortly':
    'Der Dateispeicher ist nicht erreichbar: Versuchen Sie es gleich noch einmal',
  'A collection with this name already exists': 'Eine Sammlung mit diesem Namen gibt es schon',
  'A collection name must be a letter followed by at most 63 letters, digits, "_" or "-", and must not look like a UUID or be a word of a route':
    'Ein Sammlungsname beginnt mit einem Buchstaben, dem höchstens 63 Buchstaben, Ziffern, „_“ oder „-“ folgen. Er darf keine UUID und kein Wort einer Route sein',
  'Collection not found': 'Sammlung nicht gefunden',
  'Invalid query': 'Ungültige Abfrage',
  'The document was changed by other requests at the same time: read it and try again':
    'Das Dokument wurde gleichzeitig von anderen geändert: Laden Sie es neu und versuchen Sie es noch einmal',
  'The document changed repeatedly while extensions checked the request: try again':
    'Das Dokument wurde mehrfach geändert, während Erweiterungen es prüften: Versuchen Sie es noch einmal',
  'Another document has the same value in a unique field':
    'Ein anderes Dokument hat denselben Wert in einem eindeutigen Feld',
  'A document with this id exists, or existed until recently':
    'Ein Dokument mit dieser ID gibt es, oder es gab es bis vor Kurzem',
  'The document has children: remove them first': 'Das Dokument hat untergeordnete Dokumente: Löschen Sie diese zuerst',
  'The document does not conform to the schema of its collection':
    'Das Dokument entspricht nicht dem Schema seiner Sammlung',
  'Document not found': 'Dokument nicht gefunden',
  'The document needs a parent': 'Das Dokument braucht ein übergeordnetes Dokument',
  'The document has changed: @version is not the current version':
    'Das Dokument wurde inzwischen geändert: @version ist nicht die aktuelle Version',
  'The document would exceed the maximum size of a body': 'Das Dokument würde zu groß',
  '@version must be an integer': '@version muss eine ganze Zahl sein',
  'This e-mail address belongs to another user': 'Diese E-Mail-Adresse gehört einem anderen Benutzer',
  'An extension of this server failed': 'Eine Erweiterung dieses Servers ist fehlgeschlagen',
  'An extension of this server refused this': 'Eine Erweiterung dieses Servers hat das abgelehnt',
  'An extension of this server did not finish in time':
    'Eine Erweiterung dieses Servers wurde nicht rechtzeitig fertig',
  'The form must have a part named "file"': 'Das Formular braucht einen Teil namens „file“',
  'File not found': 'Datei nicht gefunden',
  'The file is too large': 'Die Datei ist zu groß',
  'Unknown permission: use read, update, delete or all':
    'Unbekanntes Recht: Verwenden Sie read, update, delete oder all',
  'Unknown group in a grant': 'Unbekannte Gruppe in einer Berechtigung',
  'A grant must be an object with "name" and, for a role, "isrole", for a group "isgroup"':
    'Eine Berechtigung ist ein Objekt mit „name“, bei einer Rolle mit „isrole“, bei einer Gruppe mit „isgroup“',
  'Unknown role in a grant': 'Unbekannte Rolle in einer Berechtigung',
  'A request, or a whole batch, may name at most 1,000 users, roles and groups in grants':
    'Eine Anfrage darf in Berechtigungen höchstens 1.000 Benutzer, Rollen und Gruppen nennen',
  'Unknown user in a grant': 'Unbekannter Benutzer in einer Berechtigung',
  'This user cannot be added to groups': 'Dieser Benutzer kann zu keiner Gruppe hinzugefügt werden',
  'A limit on groups, which the settings define, has been reached':
    'Eine Höchstzahl für Gruppen aus den Einstellungen ist erreicht',
  'This user is not in the group': 'Dieser Benutzer ist nicht in der Gruppe',
  'A group name must be 1 to 128 printable characters, without spaces at the ends':
    'Ein Gruppenname besteht aus 1 bis 128 druckbaren Zeichen, ohne Leerzeichen an den Enden',
  'Group not found': 'Gruppe nicht gefunden',
  'A group needs an owner: transfer the ownership first':
    'Eine Gruppe braucht einen Eigentümer: Übertragen Sie sie zuerst jemand anderem',
  'Too many images are being resized: try again shortly':
    'Zu viele Bilder werden gerade skaliert: Versuchen Sie es gleich noch einmal',
  'Invalid image size: use a form such as 25%, <=80px or 100-200':
    'Ungültige Bildgröße: Schreiben Sie sie wie 25%, <=80px oder 100-200',
  'This image size is not allowed: only administrators can use sizes outside the list':
    'Diese Bildgröße ist nicht erlaubt: Größen außerhalb der Liste können nur Administratoren verwenden',
  'Images of this format cannot be resized; JPEG, PNG, GIF and WebP can':
    'Bilder dieses Formats können nicht skaliert werden, nur JPEG, PNG, GIF und WebP',
  'Resizing of images is disabled by the setting image.allows.automatic.resize':
    'Das Skalieren von Bildern ist durch die Einstellung image.allows.automatic.resize abgeschaltet',
  'The image is too large to be resized': 'Das Bild ist zu groß, um es zu skalieren',
  'The file is not an image that can be resized': 'Die Datei ist kein Bild, das skaliert werden kann',
  'Index not found': 'Index nicht gefunden',
  'This path cannot be indexed': 'Für diesen Pfad kann kein Index angelegt werden',
  'This collection or list already has the maximum number of indexes':
    'Diese Sammlung oder Liste hat schon die Höchstzahl von Indexen',
  'This index cannot be unique': 'Dieser Index kann nicht eindeutig sein',
  'An array is expected': 'Erwartet wird ein Array',
  'The request has no body: JSON is expected': 'Die Anfrage ist leer: Erwartet wird JSON',
  'Invalid input': 'Ungültige Eingabe',
  'This is not valid JSON': 'Das ist kein gültiges JSON',
  'The body is too large': 'Die Anfrage ist zu groß',
  'This number cannot be stored without changing it: send it as a string':
    'Diese Zahl lässt sich nicht unverändert speichern: Senden Sie sie als Text',
  'The API key is unknown, has expired or was removed':
    'Der API-Schlüssel ist unbekannt, abgelaufen oder wurde gelöscht',
  'The maximum number of API keys is reached: remove one first':
    'Die Höchstzahl von API-Schlüsseln ist erreicht: Löschen Sie zuerst einen',
  'API key not found': 'API-Schlüssel nicht gefunden',
  'The mail could not be sent: the mail server rejected it':
    'Die E-Mail konnte nicht gesendet werden: Der Mailserver hat sie abgelehnt',
  'The mail could not be sent: mail is not configured, or the mail server is unavailable or busy':
    'Die E-Mail konnte nicht gesendet werden: Der Mailserver ist nicht eingerichtet, nicht erreichbar oder überlastet',
  'The page is too large for one response: request fewer rows, or page by cursor':
    'Die Seite ist zu groß für eine Antwort: Zeigen Sie weniger Zeilen an',
  'The password is too weak': 'Das Passwort ist zu schwach',
  'Too many large or compressed bodies are being processed: try again shortly':
    'Zurzeit werden zu viele große Anfragen verarbeitet: Versuchen Sie es gleich noch einmal',
  'Too many logins at the moment: try again shortly':
    'Zurzeit melden sich zu viele an: Versuchen Sie es gleich noch einmal',
  'The resource is not in the state that the request requires':
    'Der Eintrag wurde inzwischen geändert: Laden Sie ihn neu',
  'Message not found': 'Benachrichtigung nicht gefunden',
  'The push service rejects the credentials or settings: an administrator must check the Push settings':
    'Der Push-Dienst lehnt die Zugangsdaten oder Einstellungen ab: Prüfen Sie die Einstellungen für Push',
  'The notification exceeds the maximum size that push services accept':
    'Die Benachrichtigung ist größer, als Push-Dienste erlauben',
  'The query has a parameter that this route does not know':
    'Die Abfrage hat einen Parameter, den diese Route nicht kennt',
  'Push notifications are not configured': 'Push-Benachrichtigungen sind nicht eingerichtet',
  'Too many attempts: try again later': 'Zu viele Versuche: Versuchen Sie es später noch einmal',
  'The user has no e-mail address to which a link can be sent':
    'Der Benutzer hat keine E-Mail-Adresse, an die ein Link gesendet werden kann',
  'Built-in roles cannot be changed or removed': 'Eingebaute Rollen können nicht geändert oder gelöscht werden',
  'Rules of collections compare caller.roles with the name of this role: change them first':
    'Regeln von Sammlungen vergleichen caller.roles mit dem Namen dieser Rolle: Ändern Sie zuerst die Regeln',
  'A role with this name already exists': 'Eine Rolle mit diesem Namen gibt es schon',
  'A role name must be a letter followed by at most 63 letters, digits, "_", "-" or "."':
    'Ein Rollenname beginnt mit einem Buchstaben, dem höchstens 63 Buchstaben, Ziffern, „_“, „-“ oder „.“ folgen',
  'Role not found': 'Rolle nicht gefunden',
  'A rule of the collection does not allow this change': 'Eine Regel der Sammlung erlaubt diese Änderung nicht',
  'This database cannot apply this rule': 'Diese Datenbank kann diese Regel nicht anwenden',
  'Too much unread response data: read the responses, or try again shortly':
    'Zu viele Antworten warten darauf, gelesen zu werden: Versuchen Sie es gleich noch einmal',
  'The server could not respond in time and may still complete the request: try again shortly':
    'Der Server konnte nicht rechtzeitig antworten, führt die Anfrage aber vielleicht noch aus: Versuchen Sie es gleich noch einmal',
  'The server is starting or stopping: try again shortly':
    'Der Server startet oder stoppt gerade: Versuchen Sie es gleich noch einmal',
  'Session not found': 'Sitzung nicht gefunden',
  'Setting not found': 'Einstellung nicht gefunden',
  'Settings section not found': 'Abschnitt der Einstellungen nicht gefunden',
  'Invalid value for this setting': 'Ungültiger Wert für diese Einstellung',
  'The session token is invalid or has expired': 'Die Sitzung ist ungültig oder abgelaufen',
  'The social network is not configured, unavailable or busy: try again shortly':
    'Das soziale Netzwerk ist nicht eingerichtet, nicht erreichbar oder überlastet: Versuchen Sie es gleich noch einmal',
  'The social network rejected the token, or the token was not issued to this app':
    'Das soziale Netzwerk hat das Token abgelehnt, oder es wurde nicht für diese App ausgestellt',
  'This JSON Schema cannot be used': 'Dieses JSON-Schema kann nicht verwendet werden',
  'The collection has no schema': 'Die Sammlung hat kein Schema',
  'The search is not valid': 'Die Suche ist ungültig',
  'The collection has no search index, or it is still being built':
    'Die Sammlung hat keinen Suchindex, oder er wird noch aufgebaut',
  'The collection has no search index': 'Die Sammlung hat keinen Suchindex',
  'Search is not available here': 'Suche ist hier nicht verfügbar',
  'The search took too long: narrow it, or ask an administrator for an index on the fields that it filters or sorts by':
    'Die Suche dauerte zu lange: Grenzen Sie sie ein, oder legen Sie einen Index für die Felder an, nach denen sie filtert oder sortiert',
  'The database is unavailable: try again shortly':
    'Die Datenbank ist nicht erreichbar: Versuchen Sie es gleich noch einmal',
  'There is no two-factor authentication to confirm or disable': 'Es gibt keine Zwei-Faktor-Authentifizierung',
  'The body must be a complete multipart form': 'Der Upload ist unvollständig',
  'A valid e-mail address is required': 'Eine gültige E-Mail-Adresse ist nötig',
  'A user with this name, or with one that looks like it, already exists':
    'Einen Benutzer mit diesem oder einem sehr ähnlichen Namen gibt es schon',
  'This name is reserved, or looks like a reserved name':
    'Dieser Name ist reserviert oder einem reservierten sehr ähnlich',
  'A user name must be 1 to 128 printable characters, at least one of them visible, without / \\ ? # %, and not . or ..':
    'Ein Benutzername besteht aus 1 bis 128 druckbaren Zeichen, mindestens einem sichtbaren, ohne / \\ ? # %, und ist nicht . oder ..',
  'User not found': 'Benutzer nicht gefunden',
  'A password must have at most 1024 characters': 'Ein Passwort hat höchstens 1024 Zeichen',
  'A visibility section must be an object': 'Ein Abschnitt des Profils muss ein Objekt sein',
  'Delivery not found': 'Zustellung nicht gefunden',
  'The maximum number of webhooks is reached: remove one first':
    'Die Höchstzahl von Webhooks ist erreicht: Löschen Sie zuerst einen',
  'Webhook not found': 'Webhook nicht gefunden',
  'This entry reports missed changes and cannot be sent again: reload the collections instead':
    'Dieser Eintrag meldet verpasste Änderungen und kann nicht erneut gesendet werden: Laden Sie stattdessen die Sammlungen neu',
  'This webhook belongs to an extension, which declares it: it can only be enabled or disabled':
    'Dieser Webhook gehört zu einer Erweiterung: Er kann nur ein- oder ausgeschaltet werden',
  'Webhooks cannot be sent to this URL': 'An diese URL können keine Webhooks gesendet werden',
};
