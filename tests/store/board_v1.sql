-- A board as Folkmoot wrote it when there was one migration: the whole file, as text. Its last event is number 24.
-- Items 1, 2 and 6 declare files; 5 did once. Never change it: what must open is what was written then.
PRAGMA application_id = 1297043284;
BEGIN TRANSACTION;
CREATE TABLE attempts (
    item INTEGER NOT NULL,
    number INTEGER NOT NULL,
    doc TEXT NOT NULL,
    PRIMARY KEY (item, number)
) STRICT, WITHOUT ROWID;
INSERT INTO "attempts" VALUES(1,1,'{"id":"1/1","item":"1","number":1,"run":"r2","agent":"dev-agent","column":"dev","model":"small","cause":"capability","approach":"a lock","ground":"a new approach","at":1700000006000}');
CREATE TABLE board (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL,
    chain BLOB NOT NULL,
    time REAL NOT NULL,
    boot TEXT NOT NULL,
    "offset" REAL NOT NULL,
    flow_version INTEGER NOT NULL,
    items INTEGER NOT NULL,
    comments INTEGER NOT NULL,
    questions INTEGER NOT NULL,
    open_questions INTEGER NOT NULL
) STRICT;
INSERT INTO "board" VALUES(1,24,X'C935C0C5184093FA1A56FA16E3DE0478EE8897EFF86FB8CF5E9AEE5207F40261',3705.0,'boot-1',3599.0,1,6,2,1,1);
CREATE TABLE clock (
    id TEXT PRIMARY KEY NOT NULL,
    doc TEXT NOT NULL
) STRICT;
INSERT INTO "clock" VALUES('clock','{"boot":"boot-1","offset":3599.0}');
CREATE TABLE comments (
    id TEXT PRIMARY KEY NOT NULL,
    item INTEGER NOT NULL,
    doc TEXT NOT NULL
) STRICT;
INSERT INTO "comments" VALUES('c001',4,'{"id":"c001","item":"4","author":"dev-agent","content":"have a look","run":"r1","at":1700000001000}');
INSERT INTO "comments" VALUES('c002',6,'{"id":"c002","item":"6","author":"alice","content":"a word","at":1700000106000}');
CREATE TABLE edges (
    item INTEGER NOT NULL,
    needs INTEGER NOT NULL,
    why TEXT NOT NULL CHECK (why IN ('after', 'child')),
    PRIMARY KEY (item, needs, why)
) STRICT, WITHOUT ROWID;
INSERT INTO "edges" VALUES(2,1,'after');
INSERT INTO "edges" VALUES(3,4,'child');
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    time REAL NOT NULL,
    name TEXT NOT NULL,
    item INTEGER,
    run TEXT,
    agent TEXT,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    chain BLOB NOT NULL
) STRICT;
INSERT INTO "events" VALUES(1,1700000001000,3600.0,'clock_restarted',NULL,NULL,'folkmoot',0,'{"context":{"boot":"boot-1"},"changes":[["clock","clock",{"boot":"boot-1","offset":3599.0}]]}',X'D3F3C7F2ED213425EA77069EB21579A8A1908EE18014186C3990DAB859BEB090');
INSERT INTO "events" VALUES(2,1700000001000,3600.0,'flow_adopted',NULL,NULL,'folkmoot',0,'{"context":{"version":1,"flow":"line"},"changes":[["flows","1",{"flow":{"name":"line","start":"dev","columns":{"dev":{"name":"dev","agents":["dev-agent"],"next":"review"},"review":{"name":"review","agents":["review-agent"],"next":"done"},"done":{"name":"done"}},"agents":{"dev-agent":{"name":"dev-agent","ladder":[{"low":0,"high":0,"model":"small"},{"low":1,"high":1,"model":"big"},{"low":2,"high":null,"model":"escalate"}],"may":["ask"]},"review-agent":{"name":"review-agent","ladder":[{"low":0,"high":0,"model":"small"},{"low":1,"high":1,"model":"big"},{"low":2,"high":null,"model":"escalate"}],"may":["ask"]}},"limits":{},"questions":{}},"source":"trial","at":1700000001000}]]}',X'3E8FA28FA28740F795708CA754152BA4216478DF8B7849768BE178E5AD2F287F');
INSERT INTO "events" VALUES(3,1700000001000,3600.0,'item_added',1,NULL,'alice',1,'{"context":{"title":"Log in","column":"dev"},"changes":[["items","1",{"title":"Log in","body":"naïve   text, quo\"ted, it''s\nbroken 🙂","column":"dev","type":"feature","priority":"medium","tags":[],"files":["src/auth/","tests/test_auth.py"],"after":[],"parent":null,"generation":0,"waits_for":[],"status":"ready","ready_at":3600.0,"because":"alice added it","created_at":1700000001000,"version":1,"updated_at":1700000001000}]]}',X'A031EF0BA1562F6AEAF0BC4BF1EC71CAA6C8DF3A4F6EFC63EB30FD28D0CEE153');
INSERT INTO "events" VALUES(4,1700000001000,3600.0,'item_added',2,NULL,'alice',1,'{"context":{"title":"Log out","column":"dev"},"changes":[["items","2",{"title":"Log out","body":"","column":"dev","type":"feature","priority":"medium","tags":[],"files":["src/auth/logout.py"],"after":["1"],"parent":null,"generation":0,"waits_for":["1"],"status":"waiting","ready_at":3600.0,"because":"alice added it","created_at":1700000001000,"version":1,"updated_at":1700000001000}]]}',X'561774E9A0A2A6F6176E3733D002B2A2E6AF89A42101CD8E46FC435DDCE11336');
INSERT INTO "events" VALUES(5,1700000001000,3600.0,'item_ranked',1,NULL,'folkmoot',2,'{"context":{"rank":1},"changes":[["items","1",{"rank":1,"version":2,"updated_at":1700000001000}]]}',X'7EA32806195EEEA55DE9F7115C64C18586FD15782C52988C884888B1C1418F46');
INSERT INTO "events" VALUES(6,1700000001000,3600.0,'item_added',3,NULL,'alice',1,'{"context":{"title":"Words without files","column":"dev"},"changes":[["items","3",{"title":"Words without files","body":"","column":"dev","type":"feature","priority":"medium","tags":["ui"],"files":[],"after":[],"parent":null,"generation":0,"waits_for":[],"status":"ready","ready_at":3600.0,"because":"alice added it","created_at":1700000001000,"version":1,"updated_at":1700000001000}]]}',X'146227B81B62865FB6686D28A16E80E51158409D5EE090DC6EB3FA7D33E46CD4');
INSERT INTO "events" VALUES(7,1700000001000,3600.0,'item_added',4,NULL,'alice',1,'{"context":{"title":"A child of words","column":"dev"},"changes":[["items","4",{"title":"A child of words","body":"","column":"dev","type":"feature","priority":"high","tags":[],"files":[],"after":[],"parent":"3","generation":0,"waits_for":[],"status":"ready","ready_at":3600.0,"because":"alice added it","created_at":1700000001000,"version":1,"updated_at":1700000001000}]]}',X'E0539C91D3C86996CA760606AB54CA61E04A55F848900600D45D0BC75B0C12DE');
INSERT INTO "events" VALUES(8,1700000001000,3600.0,'child_added',3,NULL,'folkmoot',2,'{"context":{"child":"4"},"changes":[["items","3",{"run":null,"status":"waiting","ready_at":3600.0,"waits_for":["4"],"version":2,"updated_at":1700000001000}]]}',X'E0D8FBC65C903367409D9DA275F2C603C2A7270541AB489E9BF8186E16C0E122');
INSERT INTO "events" VALUES(9,1700000001000,3600.0,'item_added',5,NULL,'alice',1,'{"context":{"title":"Files given up","column":"dev"},"changes":[["items","5",{"title":"Files given up","body":"","column":"dev","type":"feature","priority":"medium","tags":[],"files":["x.py"],"after":[],"parent":null,"generation":0,"waits_for":[],"status":"ready","ready_at":3600.0,"because":"alice added it","created_at":1700000001000,"version":1,"updated_at":1700000001000}]]}',X'81A22FA4C043DAFA54540379081F964992125FACC55CE34A0B1AC9369C6F57E4');
INSERT INTO "events" VALUES(10,1700000001000,3600.0,'item_edited',5,NULL,'alice',2,'{"context":{"fields":["files"]},"changes":[["items","5",{"files":[],"version":2,"updated_at":1700000001000}]]}',X'3F7F6A8A40FFD95592AF2CF40F9B084EB99AE4F64C2CD9AAB3B5029F6A6C50C3');
INSERT INTO "events" VALUES(11,1700000001000,3600.0,'item_added',6,NULL,'alice',1,'{"context":{"title":"Files found","column":"dev"},"changes":[["items","6",{"title":"Files found","body":"","column":"dev","type":"feature","priority":"low","tags":[],"files":[],"after":[],"parent":null,"generation":0,"waits_for":[],"status":"ready","ready_at":3600.0,"because":"alice added it","created_at":1700000001000,"version":1,"updated_at":1700000001000}]]}',X'53FFD056D605B3C1DFD2C3A5B5803C63BA74C945566385F713E63169E9C66FB2');
INSERT INTO "events" VALUES(12,1700000001000,3600.0,'item_edited',6,NULL,'alice',2,'{"context":{"fields":["files"]},"changes":[["items","6",{"files":["späť.py"],"version":2,"updated_at":1700000001000}]]}',X'274EC850ABECACB91E0E8E6A09E3EFBB3C4B812E5C7E793D01527E68B9226AC1');
INSERT INTO "events" VALUES(13,1700000001000,3600.0,'agent_started',4,'r1','dev-agent',2,'{"context":{"token":1,"model":"small","column":"dev"},"changes":[["items","4",{"token":1,"run":"r1","status":"running","span":{"runs":1},"version":2,"updated_at":1700000001000}],["runs","r1",{"item":"4","token":1,"agent":"dev-agent","column":"dev","lease_until":3660.0,"lease":60.0,"model":"small","flow_version":1,"started_at":1700000001000}]]}',X'348304E15B1FED86E2A58AA8CC12E953F22456DA97308FBE67B77F35DA36A499');
INSERT INTO "events" VALUES(14,1700000001000,3600.0,'agent_completed',4,'r1','dev-agent',3,'{"context":{"outcome":"done","cause":null,"summary":"written"},"changes":[["items","4",{"run":null,"status":"ready","ready_at":3600.0,"last_run":"r1","version":3,"updated_at":1700000001000}],["runs","r1",{"ended_at":1700000001000,"end":"reported","outcome":"done","cause":null,"cost_usd":0.0,"report":{"outcome":"done","summary":"written","files":{},"comments":[{"content":"have a look"}]}}]]}',X'A65427F21C7FAC3835431D1C98F127BDED0DC25AF4A9275A52C6AA5923EE31B6');
INSERT INTO "events" VALUES(15,1700000001000,3600.0,'comment_added',4,'r1','dev-agent',4,'{"context":{"comment":"c001","parent":null},"changes":[["items","4",{"comment_count":1,"version":4,"updated_at":1700000001000}],["comments","c001",{"item":"4","author":"dev-agent","content":"have a look","run":"r1","at":1700000001000}]]}',X'7BF7A6BD2FB9CDCF90D51A8E0307E16BB308F350FCA27C4DA80DEFF70A98BEEF');
INSERT INTO "events" VALUES(16,1700000001000,3600.0,'item_moved',4,'r1','dev-agent',5,'{"context":{"from":"dev","to":"review","why":"dev is done"},"changes":[["items","4",{"run":null,"status":"ready","ready_at":3600.0,"column":"review","because":"dev is done","goes_to":null,"origins":[],"failures":{},"forwards":1,"made_by":"dev","returns_to":null,"escalation_reason":null,"effort":{},"told":null,"wake_at":0.0,"version":5,"updated_at":1700000001000}]]}',X'11F87920024659C2890E99E316DEAC4C4E3888A9E7C167D8919B4ECAA351646B');
INSERT INTO "events" VALUES(17,1700000006000,3605.0,'agent_started',1,'r2','dev-agent',3,'{"context":{"token":1,"model":"small","column":"dev"},"changes":[["items","1",{"token":1,"run":"r2","status":"running","span":{"runs":1},"version":3,"updated_at":1700000006000}],["runs","r2",{"item":"1","token":1,"agent":"dev-agent","column":"dev","lease_until":3665.0,"lease":60.0,"model":"small","flow_version":1,"started_at":1700000006000}]]}',X'F92551E0A6BB5E6CE1249895B6281DCE80AE9025B255F4D8F19E81D483C5020A');
INSERT INTO "events" VALUES(18,1700000006000,3605.0,'agent_completed',1,'r2','dev-agent',4,'{"context":{"outcome":"failed","cause":null,"summary":""},"changes":[["items","1",{"run":null,"status":"ready","ready_at":3605.0,"last_run":"r2","version":4,"updated_at":1700000006000}],["runs","r2",{"ended_at":1700000006000,"end":"reported","outcome":"failed","cause":null,"cost_usd":0.0,"report":{"outcome":"failed","files":{},"attempts":[{"approach":"a lock"}]}}]]}',X'6D217C6AF39BE0588512265AB6DF74571D2CA691B63E93A3FEB62B05024E8DA8');
INSERT INTO "events" VALUES(19,1700000006000,3605.0,'attempt_counted',1,'r2','dev-agent',5,'{"context":{"attempt":1,"approach":"a lock","ground":"a new approach"},"changes":[["items","1",{"attempt_count":1,"last_attempt_type":"self_solve","last_attempt_outcome":"","escalation_reason":null,"effort":{},"failures":{"dev-agent":1},"span":{"runs":1,"self_solve_attempts":1},"version":5,"updated_at":1700000006000}],["attempts","1/1",{"item":"1","number":1,"run":"r2","agent":"dev-agent","column":"dev","kind":"self_solve","model":"small","cause":"capability","reason":"","approach":"a lock","outcome":null,"why_different":null,"files":[],"commit":null,"counted":true,"ground":"a new approach","forward":0,"guidance":0,"at":1700000006000}]]}',X'ABA5A7A4E219B46E9B5FA06E1CA309BF9805E9C8FC40AB5AF2E341DBD84E6499');
INSERT INTO "events" VALUES(20,1700000106000,3705.0,'agent_started',1,'r3','dev-agent',6,'{"context":{"token":2,"model":"big","column":"dev"},"changes":[["items","1",{"token":2,"run":"r3","status":"running","span":{"runs":2,"self_solve_attempts":1},"version":6,"updated_at":1700000106000}],["runs","r3",{"item":"1","token":2,"agent":"dev-agent","column":"dev","lease_until":3765.0,"lease":60.0,"model":"big","flow_version":1,"started_at":1700000106000}]]}',X'6EF9B77D84242D062995178C44290E9D2B6E747AF182296ABF0B1DC0612B4B6A');
INSERT INTO "events" VALUES(21,1700000106000,3705.0,'agent_completed',1,'r3','dev-agent',7,'{"context":{"outcome":"asks","cause":null,"summary":""},"changes":[["items","1",{"run":null,"status":"ready","ready_at":3705.0,"last_run":"r3","version":7,"updated_at":1700000106000}],["runs","r3",{"ended_at":1700000106000,"end":"reported","outcome":"asks","cause":null,"cost_usd":0.0,"report":{"outcome":"asks","files":{},"question":{"question":"which one?","context":"two ways"}}}]]}',X'83CF844FD9B297B348BBD79731B648086417CB4079E7ABF950847C97D911418B');
INSERT INTO "events" VALUES(22,1700000106000,3705.0,'agent_seeks_guidance',1,'r3','dev-agent',8,'{"context":{"question":"q1","kind":"clarification","text":"which one?","blocking":true},"changes":[["items","1",{"open_questions":["q1"],"span":{"runs":2,"self_solve_attempts":1,"questions":1},"status":"awaiting-divine-guidance","version":8,"updated_at":1700000106000}],["questions","q1",{"item":"1","kind":"clarification","question":"which one?","agent":"dev-agent","run":"r3","context":"two ways","help":null,"options":[],"blocking":true,"default":null,"deadline":null,"thread":null,"dependency":null,"state":"open","answer":null,"answered_by":null,"at":1700000106000,"answered_at":null}]]}',X'F5F11BC8BA16556823820EC0EDF4D7E6644413B08385B77E5D16BC8200723538');
INSERT INTO "events" VALUES(23,1700000106000,3705.0,'agent_started',5,'r4','dev-agent',3,'{"context":{"token":1,"model":"small","column":"dev"},"changes":[["items","5",{"token":1,"run":"r4","status":"running","span":{"runs":1},"version":3,"updated_at":1700000106000}],["runs","r4",{"item":"5","token":1,"agent":"dev-agent","column":"dev","lease_until":3765.0,"lease":60.0,"model":"small","flow_version":1,"started_at":1700000106000}]]}',X'3E1DC1F9BDE18EFB9D6A93968BA36E4BF9AAECE64133D4BB879D2C23049C2392');
INSERT INTO "events" VALUES(24,1700000106000,3705.0,'comment_added',6,NULL,'alice',3,'{"context":{"comment":"c002"},"changes":[["items","6",{"comment_count":1,"version":3,"updated_at":1700000106000}],["comments","c002",{"item":"6","author":"alice","content":"a word","artifact":null,"target":null,"parent":null,"run":null,"proposed":null,"at":1700000106000}]]}',X'C935C0C5184093FA1A56FA16E3DE0478EE8897EFF86FB8CF5E9AEE5207F40261');
CREATE TABLE flows (
    version INTEGER PRIMARY KEY,
    doc TEXT NOT NULL
) STRICT;
INSERT INTO "flows" VALUES(1,'{"id":"1","flow":{"name":"line","start":"dev","columns":{"dev":{"name":"dev","agents":["dev-agent"],"next":"review"},"review":{"name":"review","agents":["review-agent"],"next":"done"},"done":{"name":"done"}},"agents":{"dev-agent":{"name":"dev-agent","ladder":[{"low":0,"high":0,"model":"small"},{"low":1,"high":1,"model":"big"},{"low":2,"high":null,"model":"escalate"}],"may":["ask"]},"review-agent":{"name":"review-agent","ladder":[{"low":0,"high":0,"model":"small"},{"low":1,"high":1,"model":"big"},{"low":2,"high":null,"model":"escalate"}],"may":["ask"]}},"limits":{},"questions":{}},"source":"trial","at":1700000001000}');
CREATE TABLE items (
    number INTEGER PRIMARY KEY,
    "column" TEXT NOT NULL,
    status TEXT NOT NULL,
    queue TEXT, -- the agent that may claim it now
    priority INTEGER NOT NULL,
    rank INTEGER NOT NULL, -- the longer the chain that waits for it, the smaller
    wake_at REAL NOT NULL,
    ready_at REAL NOT NULL,
    generation INTEGER NOT NULL,
    doc TEXT NOT NULL
) STRICT;
INSERT INTO "items" VALUES(1,'dev','awaiting-divine-guidance',NULL,2,-1,0.0,3705.0,0,'{"id":"1","title":"Log in","column":"dev","body":"naïve   text, quo\"ted, it''s\nbroken 🙂","status":"awaiting-divine-guidance","files":["src/auth/","tests/test_auth.py"],"token":2,"last_run":"r3","ready_at":3705.0,"rank":1,"effort":{},"failures":{"dev-agent":1},"span":{"runs":2,"self_solve_attempts":1,"questions":1},"attempt_count":1,"last_attempt_type":"self_solve","last_attempt_outcome":"","open_questions":["q1"],"because":"alice added it","version":8,"created_at":1700000001000,"updated_at":1700000106000}');
INSERT INTO "items" VALUES(2,'dev','waiting',NULL,2,0,0.0,3600.0,0,'{"id":"2","title":"Log out","column":"dev","status":"waiting","files":["src/auth/logout.py"],"after":["1"],"ready_at":3600.0,"effort":{},"span":{},"waits_for":["1"],"because":"alice added it","version":1,"created_at":1700000001000,"updated_at":1700000001000}');
INSERT INTO "items" VALUES(3,'dev','waiting',NULL,2,0,0.0,3600.0,0,'{"id":"3","title":"Words without files","column":"dev","status":"waiting","tags":["ui"],"ready_at":3600.0,"effort":{},"span":{},"waits_for":["4"],"because":"alice added it","version":2,"created_at":1700000001000,"updated_at":1700000001000}');
INSERT INTO "items" VALUES(4,'review','ready','review-agent',1,0,0.0,3600.0,0,'{"id":"4","title":"A child of words","column":"review","priority":"high","parent":"3","token":1,"last_run":"r1","wake_at":0.0,"ready_at":3600.0,"effort":{},"forwards":1,"span":{"runs":1},"made_by":"dev","comment_count":1,"because":"dev is done","version":5,"created_at":1700000001000,"updated_at":1700000001000}');
INSERT INTO "items" VALUES(5,'dev','running',NULL,2,0,0.0,3600.0,0,'{"id":"5","title":"Files given up","column":"dev","status":"running","token":1,"run":"r4","ready_at":3600.0,"effort":{},"span":{"runs":1},"because":"alice added it","version":3,"created_at":1700000001000,"updated_at":1700000106000}');
INSERT INTO "items" VALUES(6,'dev','ready','dev-agent',3,0,0.0,3600.0,0,'{"id":"6","title":"Files found","column":"dev","priority":"low","files":["späť.py"],"ready_at":3600.0,"effort":{},"span":{},"comment_count":1,"because":"alice added it","version":3,"created_at":1700000001000,"updated_at":1700000106000}');
CREATE TABLE keys (
    speaker TEXT NOT NULL,
    key TEXT NOT NULL,
    digest BLOB NOT NULL,
    answer BLOB NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (speaker, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL) STRICT;
INSERT INTO "migrations" VALUES(1,'0001_first','b663568c841105528dfce641c0f92b0e8c9e8e0115f4ec6b95d00be0877bae8d');
CREATE TABLE questions (
    id TEXT PRIMARY KEY NOT NULL,
    item INTEGER NOT NULL,
    state TEXT NOT NULL,
    deadline REAL,
    doc TEXT NOT NULL
) STRICT;
INSERT INTO "questions" VALUES('q1',1,'open',NULL,'{"id":"q1","item":"1","kind":"clarification","question":"which one?","agent":"dev-agent","run":"r3","context":"two ways","at":1700000106000}');
CREATE TABLE runs (
    id TEXT PRIMARY KEY NOT NULL,
    item INTEGER NOT NULL,
    token INTEGER NOT NULL,
    lease_until REAL NOT NULL,
    ended_at INTEGER,
    doc TEXT NOT NULL
) STRICT;
INSERT INTO "runs" VALUES('r1',4,1,3660.0,1700000001000,'{"id":"r1","item":"4","token":1,"agent":"dev-agent","column":"dev","lease_until":3660.0,"lease":60.0,"model":"small","started_at":1700000001000,"ended_at":1700000001000,"end":"reported","outcome":"done","cost_usd":0.0,"report":{"outcome":"done","summary":"written","files":{},"comments":[{"content":"have a look"}]}}');
INSERT INTO "runs" VALUES('r2',1,1,3665.0,1700000006000,'{"id":"r2","item":"1","token":1,"agent":"dev-agent","column":"dev","lease_until":3665.0,"lease":60.0,"model":"small","started_at":1700000006000,"ended_at":1700000006000,"end":"reported","outcome":"failed","cost_usd":0.0,"report":{"outcome":"failed","files":{},"attempts":[{"approach":"a lock"}]}}');
INSERT INTO "runs" VALUES('r3',1,2,3765.0,1700000106000,'{"id":"r3","item":"1","token":2,"agent":"dev-agent","column":"dev","lease_until":3765.0,"lease":60.0,"model":"big","started_at":1700000106000,"ended_at":1700000106000,"end":"reported","outcome":"asks","cost_usd":0.0,"report":{"outcome":"asks","files":{},"question":{"question":"which one?","context":"two ways"}}}');
INSERT INTO "runs" VALUES('r4',5,1,3765.0,NULL,'{"id":"r4","item":"5","token":1,"agent":"dev-agent","column":"dev","lease_until":3765.0,"lease":60.0,"model":"small","started_at":1700000106000}');
CREATE INDEX items_next ON items (queue, priority, rank, number) WHERE queue IS NOT NULL;
CREATE INDEX items_starved ON items (queue, ready_at, number) WHERE queue IS NOT NULL;
CREATE INDEX items_asleep ON items (queue, wake_at) WHERE queue IS NOT NULL AND wake_at > 0;
CREATE INDEX items_column ON items ("column", number, status);
CREATE INDEX edges_needs ON edges (needs, item, why);
CREATE UNIQUE INDEX runs_token ON runs (item, token);
CREATE UNIQUE INDEX runs_open ON runs (item) WHERE ended_at IS NULL;
CREATE INDEX runs_lease ON runs (lease_until, item) WHERE ended_at IS NULL;
CREATE INDEX comments_item ON comments (item);
CREATE INDEX questions_item ON questions (item);
CREATE INDEX questions_open ON questions (state) WHERE state = 'open';
CREATE INDEX questions_deadline ON questions (deadline, item, id) WHERE state = 'open' AND deadline IS NOT NULL;
CREATE UNIQUE INDEX events_version ON events (item, version) WHERE item IS NOT NULL;
COMMIT;
