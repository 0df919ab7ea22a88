SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.attempts (
    id integer NOT NULL,
    tournament integer NOT NULL,
    match text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    status text NOT NULL COLLATE pg_catalog."C",
    reason text COLLATE pg_catalog."C",
    started text NOT NULL COLLATE pg_catalog."C",
    ended text COLLATE pg_catalog."C",
    CONSTRAINT attempts_status_check CHECK ((status = ANY (ARRAY['running'::text, 'done'::text, 'void'::text])))
);
CREATE SEQUENCE public.attempts_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.attempts_id_seq OWNED BY public.attempts.id;
CREATE TABLE public.bots (
    id integer NOT NULL,
    tournament integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL COLLATE pg_catalog."C",
    withdrawn text COLLATE pg_catalog."C"
);
CREATE SEQUENCE public.bots_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.bots_id_seq OWNED BY public.bots.id;
CREATE TABLE public.faults (
    tournament integer NOT NULL,
    attempt integer NOT NULL,
    seat integer NOT NULL,
    cause text NOT NULL COLLATE pg_catalog."C",
    bot integer NOT NULL,
    count integer NOT NULL
);
CREATE TABLE public.places (
    tournament integer NOT NULL,
    attempt integer NOT NULL,
    seat integer NOT NULL,
    bot integer NOT NULL,
    hands integer NOT NULL,
    net bigint NOT NULL,
    place integer NOT NULL,
    first_share integer NOT NULL
);
CREATE TABLE public.results (
    attempt integer NOT NULL,
    tournament integer NOT NULL,
    match text NOT NULL COLLATE pg_catalog."C",
    digest text NOT NULL COLLATE pg_catalog."C",
    record bytea NOT NULL
);
CREATE TABLE public.sandlot_schema (
    version integer NOT NULL
);
CREATE TABLE public.tournaments (
    id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    configuration text NOT NULL COLLATE pg_catalog."C",
    rounds integer NOT NULL,
    seed text NOT NULL COLLATE pg_catalog."C",
    commitment text NOT NULL COLLATE pg_catalog."C",
    created text NOT NULL COLLATE pg_catalog."C"
);
CREATE SEQUENCE public.tournaments_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.tournaments_id_seq OWNED BY public.tournaments.id;
ALTER TABLE ONLY public.attempts ALTER COLUMN id SET DEFAULT nextval('public.attempts_id_seq'::regclass);
ALTER TABLE ONLY public.bots ALTER COLUMN id SET DEFAULT nextval('public.bots_id_seq'::regclass);
ALTER TABLE ONLY public.tournaments ALTER COLUMN id SET DEFAULT nextval('public.tournaments_id_seq'::regclass);
INSERT INTO public.attempts VALUES (1, 1, '1-1-1', 1, 'done', NULL, '2026-12-01T11:54:03Z', '2026-12-01T11:54:03Z');
INSERT INTO public.attempts VALUES (3, 1, '1-3-1', 1, 'running', NULL, '2026-12-01T11:54:03Z', NULL);
INSERT INTO public.attempts VALUES (2, 1, '1-2-1', 1, 'void', 'its worker was lost', '2026-12-01T11:54:03Z', '2026-12-01T11:54:03Z');
INSERT INTO public.attempts VALUES (4, 1, '1-2-1', 2, 'done', NULL, '2026-12-01T11:54:03Z', '2026-12-01T11:54:03Z');
INSERT INTO public.bots VALUES (1, 1, 'ann', 'a1', NULL);
INSERT INTO public.bots VALUES (2, 1, 'bob', 'b1', NULL);
INSERT INTO public.bots VALUES (3, 1, 'cid', 'c1', 'failed to start 3 times: exited with status 1');
INSERT INTO public.faults VALUES (1, 1, 1, 'timeout', 2, 2);
INSERT INTO public.places VALUES (1, 1, 0, 1, 8, 840, 1, 840);
INSERT INTO public.places VALUES (1, 1, 1, 2, 8, -840, 2, 0);
INSERT INTO public.places VALUES (1, 4, 0, 2, 8, 2940, 1, 840);
INSERT INTO public.places VALUES (1, 4, 1, 3, 8, -2940, 2, 0);
INSERT INTO public.results VALUES (1, 1, '1-1-1', 'digest of 1-1-1', '\x787db8dc6a80832c590015c2e0950afa865c0038b404ec');
INSERT INTO public.results VALUES (4, 1, '1-2-1', 'digest of 1-2-1', '\x787db8dc6a80832c590015c286ba46ba86fa465c0038bc04ee');
INSERT INTO public.sandlot_schema VALUES (1);
INSERT INTO public.tournaments VALUES (1, 'friday', '{"tournament": {"name": "friday", "seats": 2}, "clock": {"decision": "1s"}}', 3, '000102030405060708090a0b0c0d0e0f', 'be45cb2605bf36bebde684841a28f0fd43c69850a3dce5fedba69928ee3a8991', '2026-12-01T11:54:03Z');
SELECT pg_catalog.setval('public.attempts_id_seq', 4, true);
SELECT pg_catalog.setval('public.bots_id_seq', 3, true);
SELECT pg_catalog.setval('public.tournaments_id_seq', 1, true);
ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT attempts_tournament_match_number_key UNIQUE (tournament, match, number);
ALTER TABLE ONLY public.bots
    ADD CONSTRAINT bots_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.bots
    ADD CONSTRAINT bots_tournament_name_key UNIQUE (tournament, name);
ALTER TABLE ONLY public.faults
    ADD CONSTRAINT faults_pkey PRIMARY KEY (tournament, attempt, seat, cause);
ALTER TABLE ONLY public.places
    ADD CONSTRAINT places_pkey PRIMARY KEY (tournament, attempt, seat);
ALTER TABLE ONLY public.results
    ADD CONSTRAINT results_pkey PRIMARY KEY (attempt);
ALTER TABLE ONLY public.results
    ADD CONSTRAINT results_tournament_match_key UNIQUE (tournament, match);
ALTER TABLE ONLY public.sandlot_schema
    ADD CONSTRAINT sandlot_schema_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.tournaments
    ADD CONSTRAINT tournaments_name_key UNIQUE (name);
ALTER TABLE ONLY public.tournaments
    ADD CONSTRAINT tournaments_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT attempts_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(id);
ALTER TABLE ONLY public.bots
    ADD CONSTRAINT bots_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(id);
ALTER TABLE ONLY public.faults
    ADD CONSTRAINT faults_attempt_fkey FOREIGN KEY (attempt) REFERENCES public.attempts(id);
ALTER TABLE ONLY public.faults
    ADD CONSTRAINT faults_bot_fkey FOREIGN KEY (bot) REFERENCES public.bots(id);
ALTER TABLE ONLY public.faults
    ADD CONSTRAINT faults_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(id);
ALTER TABLE ONLY public.places
    ADD CONSTRAINT places_attempt_fkey FOREIGN KEY (attempt) REFERENCES public.attempts(id);
ALTER TABLE ONLY public.places
    ADD CONSTRAINT places_bot_fkey FOREIGN KEY (bot) REFERENCES public.bots(id);
ALTER TABLE ONLY public.places
    ADD CONSTRAINT places_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(id);
ALTER TABLE ONLY public.results
    ADD CONSTRAINT results_attempt_fkey FOREIGN KEY (attempt) REFERENCES public.attempts(id);
ALTER TABLE ONLY public.results
    ADD CONSTRAINT results_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(id);
