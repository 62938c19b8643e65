/**
 * The same random cases in every run, so that a change is red because of the change. Set
 * PROPERTY_SEED to look for new ones; a failure prints the seed and the path that replay it.
 */
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20_261_130) });
