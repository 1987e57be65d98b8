// Loaded into a gateway before anything else: lets a test set its clock, and look at its memory.
const RealDate = Date;
let offset = 0;

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length > 0) super(...args);
    else super(RealDate.now() + offset);
  }
  static now() {
    return RealDate.now() + offset;
  }
};

process.on("message", ({ clock }) => {
  if (clock !== undefined) offset = clock;
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  process.send({ memory: heapUsed + arrayBuffers });
});
// Does not keep a gateway alive that wants to exit.
process.channel.unref();
