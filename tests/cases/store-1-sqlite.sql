BEGIN TRANSACTION;
CREATE TABLE attempts (
	id INTEGER NOT NULL,
	tournament INTEGER NOT NULL,
	"match" TEXT NOT NULL,
	number INTEGER NOT NULL,
	status TEXT NOT NULL,
	reason TEXT,
	started TEXT NOT NULL,
	ended TEXT,
	PRIMARY KEY (id),
	CHECK (status IN ('running', 'done', 'void')),
	UNIQUE (tournament, "match", number),
	FOREIGN KEY(tournament) REFERENCES tournaments (id)
);
INSERT INTO "attempts" VALUES(1,1,'1-1-1',1,'done',NULL,'2026-12-01T11:54:02Z','2026-12-01T11:54:02Z');
INSERT INTO "attempts" VALUES(2,1,'1-2-1',1,'void','its worker was lost','2026-12-01T11:54:02Z','2026-12-01T11:54:02Z');
INSERT INTO "attempts" VALUES(3,1,'1-3-1',1,'running',NULL,'2026-12-01T11:54:02Z',NULL);
INSERT INTO "attempts" VALUES(4,1,'1-2-1',2,'done',NULL,'2026-12-01T11:54:02Z','2026-12-01T11:54:02Z');
CREATE TABLE bots (
	id INTEGER NOT NULL,
	tournament INTEGER NOT NULL,
	name TEXT NOT NULL,
	version TEXT NOT NULL,
	withdrawn TEXT,
	PRIMARY KEY (id),
	UNIQUE (tournament, name),
	FOREIGN KEY(tournament) REFERENCES tournaments (id)
);
INSERT INTO "bots" VALUES(1,1,'ann','a1',NULL);
INSERT INTO "bots" VALUES(2,1,'bob','b1',NULL);
INSERT INTO "bots" VALUES(3,1,'cid','c1','failed to start 3 times: exited with status 1');
CREATE TABLE faults (
	tournament INTEGER NOT NULL,
	attempt INTEGER NOT NULL,
	seat INTEGER NOT NULL,
	cause TEXT NOT NULL,
	bot INTEGER NOT NULL,
	count INTEGER NOT NULL,
	PRIMARY KEY (tournament, attempt, seat, cause),
	FOREIGN KEY(tournament) REFERENCES tournaments (id),
	FOREIGN KEY(attempt) REFERENCES attempts (id),
	FOREIGN KEY(bot) REFERENCES bots (id)
)
 WITHOUT ROWID

;
INSERT INTO "faults" VALUES(1,1,1,'timeout',2,2);
CREATE TABLE places (
	tournament INTEGER NOT NULL,
	attempt INTEGER NOT NULL,
	seat INTEGER NOT NULL,
	bot INTEGER NOT NULL,
	hands INTEGER NOT NULL,
	net BIGINT NOT NULL,
	place INTEGER NOT NULL,
	first_share INTEGER NOT NULL,
	PRIMARY KEY (tournament, attempt, seat),
	FOREIGN KEY(tournament) REFERENCES tournaments (id),
	FOREIGN KEY(attempt) REFERENCES attempts (id),
	FOREIGN KEY(bot) REFERENCES bots (id)
)
 WITHOUT ROWID

;
INSERT INTO "places" VALUES(1,1,0,1,8,840,1,840);
INSERT INTO "places" VALUES(1,1,1,2,8,-840,2,0);
INSERT INTO "places" VALUES(1,4,0,2,8,2940,1,840);
INSERT INTO "places" VALUES(1,4,1,3,8,-2940,2,0);
CREATE TABLE results (
	attempt INTEGER NOT NULL,
	tournament INTEGER NOT NULL,
	"match" TEXT NOT NULL,
	digest TEXT NOT NULL,
	record BLOB NOT NULL,
	PRIMARY KEY (attempt),
	UNIQUE (tournament, "match"),
	FOREIGN KEY(attempt) REFERENCES attempts (id),
	FOREIGN KEY(tournament) REFERENCES tournaments (id)
);
INSERT INTO "results" VALUES(1,1,'1-1-1','digest of 1-1-1',X'787DB8DC6A80832C590015C2E0950AFA865C0038B404EC');
INSERT INTO "results" VALUES(4,1,'1-2-1','digest of 1-2-1',X'787DB8DC6A80832C590015C286BA46BA86FA465C0038BC04EE');
CREATE TABLE sandlot_schema (
	version INTEGER NOT NULL,
	PRIMARY KEY (version)
);
INSERT INTO "sandlot_schema" VALUES(1);
CREATE TABLE tournaments (
	id INTEGER NOT NULL,
	name TEXT NOT NULL,
	configuration TEXT NOT NULL,
	rounds INTEGER NOT NULL,
	seed TEXT NOT NULL,
	commitment TEXT NOT NULL,
	created TEXT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE (name)
);
INSERT INTO "tournaments" VALUES(1,'friday','{"tournament": {"name": "friday", "seats": 2}, "clock": {"decision": "1s"}}',3,'000102030405060708090a0b0c0d0e0f','be45cb2605bf36bebde684841a28f0fd43c69850a3dce5fedba69928ee3a8991','2026-12-01T11:54:02Z');
COMMIT;
