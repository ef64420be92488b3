// Property tests draw the same cases in every run where `ORION_SEED` says so, as `cargo xtask test` does.
import fc from 'fast-check';

const seed = process.env['ORION_SEED'];
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
